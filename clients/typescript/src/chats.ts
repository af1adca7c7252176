import type { Client } from 'openapi-fetch';
import { answered } from './answer.js';
import type { paths } from './schema.js';
import type {
  CallOptions,
  Chat,
  ChatChange,
  ChatLink,
  ChatSharing,
  ChatTurn,
  ChatVersion,
  Feedback,
  Rating,
  SharedChat,
  Success,
} from './types.js';

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

type ChatListOptions = ChatOptions & {
  readonly limit?: number;
  readonly chat_id?: string;
  /** Words that the title or a message contains. */
  readonly q?: string;
  readonly chat_folder?: string;
};

/** Conversations, created and continued by queries with a `chat_id`. */
export class Chats {
  constructor(private readonly raw: Client<paths>) {}

  /** Returns chats: pinned ones first, then the newest; at most 100 unless `limit` is set. */
  list({ signal, ...query }: ChatListOptions = {}): Promise<Chat[]> {
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

  /** Renames a chat, pins it, or puts it into a folder of chats. */
  change(chatId: string, change: ChatChange, { signal, ...query }: ChatOptions = {}): Promise<Success> {
    const params = { path: { chat_id: chatId }, query };
    return answered(this.raw.PATCH('/chats/{chat_id}', { params, body: change, signal: signal ?? null }));
  }

  /** Deletes a chat with its messages. */
  delete(chatId: string, { signal, ...query }: ChatOptions = {}): Promise<Success> {
    const params = { path: { chat_id: chatId }, query };
    return answered(this.raw.DELETE('/chats/{chat_id}', { params, signal: signal ?? null }));
  }

  /**
   * Makes a link by which others of the tenant read a chat of this key, and ends the link before it.
   * @param lifetime.expires_in seconds; absent: it works until it is ended
   */
  share(
    chatId: string,
    { signal, ...lifetime }: CallOptions & { readonly expires_in?: number } = {},
  ): Promise<ChatLink> {
    const params = { path: { chat_id: chatId } };
    return answered(
      this.raw.POST('/chats/{chat_id}/link', {
        params,
        body: { expires_in: null, ...lifetime },
        signal: signal ?? null,
      }),
    );
  }

  /**
   * Reads the link to a chat of this key, and how many of its answers are withheld from readers whom no access list
   * names.
   */
  sharing(chatId: string, { signal }: CallOptions = {}): Promise<ChatSharing> {
    const params = { path: { chat_id: chatId } };
    return answered(this.raw.GET('/chats/{chat_id}/link', { params, signal: signal ?? null }));
  }

  /** Ends the link to a chat. */
  unshare(chatId: string, { signal }: CallOptions = {}): Promise<Success> {
    const params = { path: { chat_id: chatId } };
    return answered(this.raw.DELETE('/chats/{chat_id}/link', { params, signal: signal ?? null }));
  }

  /** Reads a chat by its link. Answers with a source that the key may not read are withheld. */
  shared(linkId: string, { signal }: CallOptions = {}): Promise<SharedChat> {
    const params = { path: { link_id: linkId } };
    return answered(this.raw.GET('/shared_chats/{link_id}', { params, signal: signal ?? null }));
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
