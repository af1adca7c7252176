import {
  LecternError,
  type CompletionEvent,
  type LecternClient,
  type QueryRequest,
  type StreamOptions,
} from '../api/lectern.js';
import { newId } from '../app/new-id.js';
import { sentencesOf } from '../design/notices.js';
import { endOf, NO_ANSWER, type Answer } from './answer.js';

/**
 * Statuses of a failed answer: the model was overloaded (429), failed (502) or was too slow (504). Passages can still
 * be quoted, because quoting needs no model.
 */
const MODEL_FAILURES: ReadonlySet<number> = new Set([429, 502, 504]);

interface StreamReader {
  readonly signal: AbortSignal;
  /** Called with the answer so far. */
  readonly onPart: (answer: Answer) => void;
  /** Called when the connection is lost, and when it is there again. */
  readonly onConnection: (isLost: boolean) => void;
}

export interface AnswerReader extends StreamReader {
  readonly hasModel: boolean;
  /** Called with the id of the answer before it is asked for. */
  readonly onAsk: (answerId: string) => void;
}

/**
 * Asks, and reads the whole answer, which goes on at the service when the page is left. If the language model fails before
 * the first word, quotes the passages closest to the question instead.
 */
export async function readAnswer(
  client: LecternClient,
  request: QueryRequest,
  { hasModel, onAsk, onPart, ...reader }: AnswerReader,
): Promise<Answer> {
  let received = NO_ANSWER;
  const read = (asked: QueryRequest): Promise<Answer> => {
    const answerId = newId();
    onAsk(answerId);
    return readStream((options) => client.queryStream({ ...asked, answer_id: answerId }, options), {
      ...reader,
      onPart: (answer) => {
        received = answer;
        onPart(answer);
      },
    });
  };
  try {
    return await read(request);
  } catch (error) {
    const isOfModel = error instanceof LecternError && MODEL_FAILURES.has(error.status);
    if (reader.signal.aborted || !hasModel || !isOfModel || received.text !== '') throw error;
    const failure = sentencesOf(error)[0] ?? '';
    try {
      return { ...(await read({ ...request, llm_config: { model: 'extractive' } })), failure };
    } catch {
      throw error;
    }
  }
}

/** Reads the whole of an answer that is being written, wherever it was asked for. */
export function followAnswer(client: LecternClient, answerId: string, reader: StreamReader): Promise<Answer> {
  return readStream((options) => client.answers.follow(answerId, options), reader);
}

async function readStream(
  open: (options: StreamOptions) => AsyncIterable<CompletionEvent>,
  { signal, onPart, onConnection }: StreamReader,
): Promise<Answer> {
  let answer = NO_ANSWER;
  const onRetry = (): void => {
    if (answer !== NO_ANSWER) onConnection(true);
  };
  for await (const event of open({ signal, onRetry })) {
    if (event.type === 'assistant') answer = { ...answer, text: answer.text + event.content };
    else if (event.type === 'sources') answer = { ...answer, sources: event.sources };
    else {
      const text = typeof event.completion === 'string' ? event.completion : answer.text;
      answer = { ...answer, text, end: endOf(event) };
    }
    onConnection(false);
    onPart(answer);
  }
  return answer;
}
