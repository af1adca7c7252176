import type { Completion, LecternClient, QueryRequest } from '@lectern/client';
import { useEffect, useId, useRef, useState } from 'react';
import type { Citation, Source } from './types.js';

/**
 * `retrying`: the connection failed before the first word, and the client tries again. `failed`: it does not;
 * the text so far is kept.
 */
export type AnswerState = 'idle' | 'searching' | 'retrying' | 'streaming' | 'done' | 'stopped' | 'failed';

/** Everything but the question: filters, folder, chat. */
export type AnswerRequest = Omit<QueryRequest, 'query'>;

interface Shown {
  readonly question: string | null;
  readonly state: AnswerState;
  /** The answer so far. */
  readonly text: string;
  /** Known before the first word. */
  readonly sources: readonly Source[];
  /** Known when the answer is complete. */
  readonly citations: readonly Citation[];
  readonly metadata: Completion['metadata'];
  /** Why the answer failed, or is being retried. */
  readonly error: unknown;
}

/** An answer, and what can be done with it. */
export interface Asking extends Shown {
  /** Prefix of element ids, which link citations to sources. */
  readonly id: string;
  readonly isRunning: boolean;
  /** Asks, in place of the running question. Resolves when the answer has ended in any state. */
  readonly ask: (question: string) => Promise<void>;
  /** Stops the answer, also at the service. */
  readonly stop: () => void;
  /** Asks the same question again. */
  readonly retry: () => Promise<void>;
}

const IDLE: Shown = {
  question: null,
  state: 'idle',
  text: '',
  sources: [],
  citations: [],
  metadata: null,
  error: null,
};
const RUNNING: readonly AnswerState[] = ['searching', 'retrying', 'streaming'];

/** Asks questions one at a time and streams the answers. Unmounting stops the running one. */
export function useAnswer(client: LecternClient, request: AnswerRequest = {}): Asking {
  const id = useId();
  const [shown, setShown] = useState(IDLE);
  const running = useRef<AbortController | null>(null);
  useEffect(
    () => () => {
      running.current?.abort();
    },
    [],
  );

  const ask = async (question: string): Promise<void> => {
    running.current?.abort();
    const stopping = new AbortController();
    running.current = stopping;
    const { signal } = stopping;
    const show = (change: Partial<Shown>): void => {
      if (running.current === stopping) setShown((before) => ({ ...before, ...change }));
    };
    setShown({ ...IDLE, question, state: 'searching' });
    const asked = { inline_citations: true, stream_sources: true, ...request, query: question };
    const onRetry = (error: unknown): void => {
      show({ state: 'retrying', error });
    };
    let text = '';
    try {
      for await (const event of client.queryStream(asked, { signal, onRetry })) {
        switch (event.type) {
          case 'sources':
            show({ state: 'searching', sources: event.sources, error: null });
            break;
          case 'assistant':
            text += event.content;
            show({ state: 'streaming', text, error: null });
            break;
          case 'done':
            show({ ...endOf(event), state: 'done', error: null });
        }
      }
    } catch (error) {
      show(signal.aborted ? { state: 'stopped' } : { state: 'failed', error });
    }
  };

  return {
    ...shown,
    id,
    isRunning: RUNNING.includes(shown.state),
    ask,
    stop: () => {
      running.current?.abort();
    },
    retry: async () => {
      if (shown.question !== null) await ask(shown.question);
    },
  };
}

function endOf({ sources, metadata }: Pick<Completion, 'sources' | 'metadata'>): Partial<Shown> {
  // The interface description leaves the members of a citation open.
  return { sources, metadata, citations: (metadata?.citations ?? []) as unknown as readonly Citation[] };
}
