import { LecternError, type LecternClient, type QueryRequest } from '../api/lectern.js';
import { sentencesOf } from '../design/notices.js';
import { endOf, NO_ANSWER, type Answer } from './answer.js';

/**
 * Statuses of a failed answer: the model was overloaded (429), failed (502) or was too slow (504). Passages can still
 * be quoted, because quoting needs no model.
 */
const MODEL_FAILURES: ReadonlySet<number> = new Set([429, 502, 504]);

export interface AnswerReader {
  readonly hasModel: boolean;
  readonly signal: AbortSignal;
  /** Called with the answer so far. */
  readonly onPart: (answer: Answer) => void;
}

/**
 * Asks, and reads the whole answer. If the language model fails before the first word, quotes the passages closest to
 * the question instead.
 */
export async function readAnswer(
  client: LecternClient,
  request: QueryRequest,
  { hasModel, signal, onPart }: AnswerReader,
): Promise<Answer> {
  let received = NO_ANSWER;
  const read = (asked: QueryRequest): Promise<Answer> =>
    readStream(client, asked, signal, (answer) => {
      received = answer;
      onPart(answer);
    });
  try {
    return await read(request);
  } catch (error) {
    const isOfModel = error instanceof LecternError && MODEL_FAILURES.has(error.status);
    if (signal.aborted || !hasModel || !isOfModel || received.text !== '') throw error;
    const failure = sentencesOf(error)[0] ?? '';
    try {
      return { ...(await read({ ...request, llm_config: { model: 'extractive' } })), failure };
    } catch {
      throw error;
    }
  }
}

async function readStream(
  client: LecternClient,
  request: QueryRequest,
  signal: AbortSignal,
  onPart: AnswerReader['onPart'],
): Promise<Answer> {
  let answer = NO_ANSWER;
  for await (const event of client.queryStream(request, { signal })) {
    if (event.type === 'assistant') answer = { ...answer, text: answer.text + event.content };
    else if (event.type === 'sources') answer = { ...answer, sources: event.sources };
    else {
      const text = typeof event.completion === 'string' ? event.completion : answer.text;
      answer = { ...answer, text, end: endOf(event) };
    }
    onPart(answer);
  }
  return answer;
}
