import type { CompletionEvent, LecternClient, QueryRequest, StreamOptions } from '../api/lectern.js';
import { newId } from '../app/new-id.js';
import { endOf, NO_ANSWER, type Answer } from './answer.js';

export interface StreamReader {
  readonly signal: AbortSignal;
  /** Called with the answer so far. */
  readonly onPart: (answer: Answer) => void;
  /** Called when the connection is lost, and when it is there again. */
  readonly onConnection: (isLost: boolean) => void;
}

/**
 * Asks, and reads the whole answer, which goes on at the service when the page is left. If the language model fails before
 * the first word, the service quotes the passages closest to the question instead.
 *
 * @param onAsk called with the id of the answer before it is asked for
 */
export function readAnswer(
  client: LecternClient,
  request: QueryRequest,
  onAsk: (answerId: string) => void,
  reader: StreamReader,
): Promise<Answer> {
  const answerId = newId();
  onAsk(answerId);
  const asked = { ...request, answer_id: answerId, quote_on_failure: true };
  return readStream((options) => client.queryStream(asked, options), reader);
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
