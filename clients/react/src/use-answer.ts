import type { Completion, LecternClient, QueryRequest } from '@lectern/client';
import { useEffect, useId, useRef, useState } from 'react';
import type { Citation, Source } from './types.js';

/**
 * `retrying`: the request failed before the first word, and the client tries again. `failed`: the client does not try
 * again; the text received so far is kept.
 */
export type AnswerState = 'idle' | 'searching' | 'retrying' | 'streaming' | 'done' | 'stopped' | 'failed';

/** All fields of the request except the question: filters, folder, chat and others. */
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
  /** The reason why the answer failed or is being retried. */
  readonly error: unknown;
}

/** An answer, and the actions on it. */
export interface Asking extends Shown {
  /** Prefix of element ids, which link citations to sources. */
  readonly id: string;
  readonly isRunning: boolean;
  /** Stops the running answer, if any, and asks a question. Resolves when the answer has ended, in any state. */
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

/** Asks questions one at a time and streams the answers. Unmounting stops the running answer. */
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
            if (typeof event.completion === 'string') text = event.completion;
            show({ ...endOf(event), text, state: 'done', error: null });
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
  // The OpenAPI document does not define the members of a citation.
  return { sources, metadata, citations: metadata?.citations ?? [] };
}
