import type { LecternClient } from '@lectern/client';
import { ChatStore, isRunning, type AnswerRequest, type Exchange, type ShownChat } from '@lectern/client/ui';
import { useEffect, useId, useInsertionEffect, useMemo, useState } from 'react';
import type { Asking } from './use-answer.js';
import { useStore } from './use-store.js';

/** An exchange of a chat, for `<Answer>` and `<Sources>`. */
export type AskedExchange = Exchange & Asking;

export interface UsedChat
  extends
    Omit<ShownChat, 'exchanges'>,
    Pick<ChatStore, 'ask' | 'stop' | 'retry' | 'edit' | 'versions' | 'load'> {
  readonly exchanges: readonly AskedExchange[];
  readonly isRunning: boolean;
}

export interface ChatOptions {
  /** A chat to continue; unset: a new chat, whose id is `chatId` of the result. */
  readonly chatId?: string | undefined;
  /** What is asked with each question; it need not stay the same object. */
  readonly request?: AnswerRequest;
}

/**
 * A chat. The functions stay the same ones. Unmounting, reloading or closing the page leaves the running answer: it goes
 * on at the service, and whoever shows the chat follows it.
 */
export function useChat(client: LecternClient, { chatId, request = {} }: ChatOptions = {}): UsedChat {
  const id = useId();
  const [store] = useState(() => new ChatStore(client, request, chatId));
  useInsertionEffect(() => {
    store.configure(client, request);
  });
  useEffect(() => {
    store.open(chatId);
    return store.close;
  }, [store, chatId]);
  const { exchanges, ...shown } = useStore(store);
  const asked = useMemo(
    () =>
      exchanges.map((exchange, place): AskedExchange => ({
        ...exchange,
        id: `${id}-${exchange.key}`,
        isRunning: isRunning(exchange),
        stop: store.stop,
        retry: () => store.retry(place),
      })),
    [exchanges, id, store],
  );
  const { ask, stop, retry, edit, versions, load } = store;
  const isAnswering = asked.some((one) => one.isRunning);
  return { ...shown, exchanges: asked, isRunning: isAnswering, ask, stop, retry, edit, versions, load };
}
