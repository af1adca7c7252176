import type { StreamOptions } from '../completion-events.js';
import { AnswerStopped } from '../errors.js';
import type { Citation, Completion, CompletionEvent, QueryRequest, Source } from '../types.js';

/**
 * `retrying`: the request failed or the connection was lost, and the client tries again. `failed`: the client does not
 * try again; the text received so far is kept.
 */
export type AnswerState = 'idle' | 'searching' | 'retrying' | 'streaming' | 'done' | 'stopped' | 'failed';

export interface ShownAnswer {
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

/** All fields of the request except the question, its chat and its id: filters, folder and others. */
export type AnswerRequest = Omit<QueryRequest, 'query' | 'chat_id' | 'replace_from' | 'answer_id'>;

/** What the answers of the hooks show. */
export const SHOWN = { inline_citations: true, stream_sources: true } as const;

export const NO_ANSWER: ShownAnswer = {
  question: null,
  state: 'idle',
  text: '',
  sources: [],
  citations: [],
  metadata: null,
  error: null,
};

const RUNNING: readonly AnswerState[] = ['searching', 'retrying', 'streaming'];

export function isRunning({ state }: Pick<ShownAnswer, 'state'>): boolean {
  return RUNNING.includes(state);
}

type AnswerChange = Partial<Omit<ShownAnswer, 'question'>>;

interface Run {
  readonly signal: AbortSignal;
  readonly onChange: (change: AnswerChange) => void;
  /** Called with the whole text for each piece of it. */
  readonly onText: (change: AnswerChange) => void;
}

/**
 * Reads the events of an answer. Tells of its end, in any state, and does not throw.
 *
 * @returns the failure; null: the answer is complete or was stopped
 */
export async function runAnswer(
  stream: (options: StreamOptions) => AsyncGenerator<CompletionEvent, void, undefined>,
  { signal, onChange, onText }: Run,
): Promise<unknown> {
  const onRetry = (error: unknown): void => {
    onChange({ state: 'retrying', error });
  };
  let text = '';
  try {
    for await (const event of stream({ signal, onRetry })) {
      switch (event.type) {
        case 'sources':
          onChange({ state: 'searching', sources: event.sources, error: null });
          break;
        case 'assistant':
          text += event.content;
          onText({ state: 'streaming', text, error: null });
          break;
        case 'done': {
          if (typeof event.completion === 'string') text = event.completion;
          const { sources, metadata } = event;
          const citations = metadata?.citations ?? [];
          onChange({ state: 'done', text, sources, metadata, citations, error: null });
        }
      }
    }
    return null;
  } catch (error) {
    if (signal.aborted || error instanceof AnswerStopped) {
      onChange({ state: 'stopped', error: null });
      return null;
    }
    onChange({ state: 'failed', error });
    return error;
  }
}
