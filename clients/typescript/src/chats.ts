import type { Client } from 'openapi-fetch';
import { answered } from './answer.js';
import type { paths } from './schema.js';
import type { CallOptions, Chat, ChatTurn, ChatVersion, Feedback, Rating, Success } from './types.js';

type OwnedOptions = CallOptions & {
  /** End user of the chat. */
  readonly end_user_id?: string;
};

type ChatOptions = OwnedOptions & {
  /**
   * true: returns only chats that this key may continue; false: returns only chats of other people, which
   * administrators may read.
   */
  readonly own?: boolean;
};

/** Conversations, created and continued by queries with a `chat_id`. */
export class Chats {
  constructor(private readonly raw: Client<paths>) {}

  /** Returns chats, newest first; at most 100 unless `limit` is set. */
  list({ signal, ...query }: ChatOptions & { readonly limit?: number } = {}): Promise<Chat[]> {
    return answered(this.raw.GET('/chats', { params: { query }, signal: signal ?? null }));
  }

  /** Messages of a chat, oldest first. */
  messages(chatId: string, { signal, ...query }: ChatOptions = {}): Promise<ChatTurn[]> {
    const params = { path: { chat_id: chatId }, query };
    return answered(this.raw.GET('/chat/{chat_id}', { params, signal: signal ?? null }));
  }

  /** Messages of a chat that `replace_from` replaced, oldest replacement first. */
  versions(chatId: string, { signal, ...query }: ChatOptions = {}): Promise<ChatVersion[]> {
    const params = { path: { chat_id: chatId }, query };
    return answered(this.raw.GET('/chat/{chat_id}/versions', { params, signal: signal ?? null }));
  }

  rename(chatId: string, title: string, { signal, ...owner }: ChatOptions = {}): Promise<Success> {
    const params = { path: { chat_id: chatId }, query: { ...owner, title } };
    return answered(this.raw.PATCH('/chats/{chat_id}/title', { params, signal: signal ?? null }));
  }

  /** Deletes a chat with its messages. */
  delete(chatId: string, { signal, ...query }: ChatOptions = {}): Promise<Success> {
    const params = { path: { chat_id: chatId }, query };
    return answered(this.raw.DELETE('/chats/{chat_id}', { params, signal: signal ?? null }));
  }

  /** Rates an answer, which is named by its index among the messages of the chat. Replaces an earlier rating. */
  rate(
    chatId: string,
    index: number,
    rating: Rating,
    { signal, ...query }: OwnedOptions = {},
  ): Promise<Success> {
    return answered(
      this.raw.PUT('/chat/{chat_id}/messages/{message_index}/feedback', {
        params: { path: { chat_id: chatId, message_index: index }, query },
        body: { comment: null, ...rating },
        signal: signal ?? null,
      }),
    );
  }

  /** Withdraws the rating of an answer. */
  unrate(chatId: string, index: number, { signal, ...query }: OwnedOptions = {}): Promise<Success> {
    const params = { path: { chat_id: chatId, message_index: index }, query };
    return answered(
      this.raw.DELETE('/chat/{chat_id}/messages/{message_index}/feedback', {
        params,
        signal: signal ?? null,
      }),
    );
  }

  /** Feedback on the answers of all chats, newest first; 100 entries by default. For keys with `admin`. */
  feedback({
    signal,
    ...query
  }: OwnedOptions & {
    readonly rating?: Rating['rating'];
    readonly skip?: number;
    readonly limit?: number;
  } = {}): Promise<Feedback[]> {
    return answered(this.raw.GET('/feedback', { params: { query }, signal: signal ?? null }));
  }

  /** The questions with good answers, as JSON lines for `lectern eval`. For keys with `admin`. */
  async feedbackQuestions({ signal }: CallOptions = {}): Promise<string> {
    const lines = (await answered(
      this.raw.GET('/feedback/questions', { parseAs: 'text', signal: signal ?? null }),
    )) as string | undefined;
    return lines ?? ''; // openapi-fetch returns undefined for an empty body
  }
}
