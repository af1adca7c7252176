import type { LecternClient } from '@lectern/client';
import { AnswerStore, isRunning, type AnswerRequest, type ShownAnswer } from '@lectern/client/ui';
import { useEffect, useId, useInsertionEffect, useState } from 'react';
import { useStore } from './use-store.js';

/** An answer, and the actions on it. */
export interface Asking extends ShownAnswer {
  /** Prefix of element ids, which link citations to sources. */
  readonly id: string;
  readonly isRunning: boolean;
  /** Stops the answer, also at the service. */
  readonly stop: () => void;
  /** Asks the same question again. */
  readonly retry: () => Promise<void>;
}

export interface UsedAnswer extends Asking {
  /** Stops the running answer, if any, and asks a question. Resolves when the answer has ended, in any state. */
  readonly ask: (question: string) => Promise<void>;
}

/**
 * Asks questions one at a time and streams the answers. The functions stay the same ones. Unmounting stops the running
 * answer.
 *
 * @param request what is asked with each question; it need not stay the same object
 */
export function useAnswer(client: LecternClient, request: AnswerRequest = {}): UsedAnswer {
  const [store] = useState(() => new AnswerStore(client, request));
  useInsertionEffect(() => {
    store.configure(client, request);
  });
  useEffect(() => store.stop, [store]);
  const shown = useStore(store);
  const { ask, stop, retry } = store;
  return { ...shown, id: useId(), isRunning: isRunning(shown), ask, stop, retry };
}
