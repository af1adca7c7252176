/** Which chat is meant. `endUserId` null is the chat without an end user. */
export interface ChatIdentity {
  readonly chatId: string;
  readonly endUserId: string | null;
}

/** One turn of a conversation. */
export interface ChatTurn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly createdAt: Date;
}

/** A chat as lists show it. */
export interface ChatSummary {
  readonly chatId: string;
  readonly endUserId: string | null;
  readonly title: string;
  readonly turnCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly lastTurn: ChatTurn;
}

/** A question and its answer, stored together or not at all. */
export interface Exchange {
  readonly question: string;
  readonly answer: string;
}
