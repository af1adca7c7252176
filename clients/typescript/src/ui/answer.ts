import type { LecternClient } from '../client.js';
import type { Citation, Completion, QueryRequest, Source } from '../types.js';

/**
 * `retrying`: the request failed before the first word, and the client tries again. `failed`: the client does not try
 * again; the text received so far is kept.
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

/** All fields of the request except the question and its chat: filters, folder and others. */
export type AnswerRequest = Omit<QueryRequest, 'query' | 'chat_id' | 'replace_from'>;

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

/** Streams an answer. Tells of its end, in any state, and does not throw. */
export async function runAnswer(
  client: LecternClient,
  request: QueryRequest,
  { signal, onChange, onText }: Run,
): Promise<void> {
  const asked = { inline_citations: true, stream_sources: true, ...request };
  const onRetry = (error: unknown): void => {
    onChange({ state: 'retrying', error });
  };
  let text = '';
  try {
    for await (const event of client.queryStream(asked, { signal, onRetry })) {
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
  } catch (error) {
    onChange(signal.aborted ? { state: 'stopped' } : { state: 'failed', error });
  }
}
