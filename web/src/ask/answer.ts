import type { Citation, Completion, QueryRequest } from '../api/lectern.js';
import type { DescribedRequest } from '../requests/described-request.js';
import { argumentText } from '../requests/to-code.js';

/** The citations, sources and metadata that come with the end of an answer, or are stored with it in a chat. */
interface AnswerEnd {
  readonly citations: readonly Citation[];
  readonly sources: Completion['sources'];
  /** Absent for answers that were stored without it. */
  readonly model?: string | undefined;
  readonly isCut?: boolean;
  /** Without a language model: whether the passages answer the question. */
  readonly isAnswered?: boolean | undefined;
  /** Why the language model did not answer, if passages are quoted in its place. */
  readonly failure?: string | undefined;
  /** Documents that were not searched because they are still being processed. */
  readonly processing?: number;
  /** Index of the answer in its chat. */
  readonly index?: number | undefined;
  /** Revision of the chat since this answer. */
  readonly revision?: number | undefined;
}

/** An answer as received so far. */
export interface Answer {
  readonly text: string;
  /** null until the answer is complete. */
  readonly end: AnswerEnd | null;
  /** Known before the model answers. */
  readonly sources?: Completion['sources'];
}

export const NO_ANSWER: Answer = { text: '', end: null };

export function endOf({
  sources,
  metadata,
  finish_reason: reason,
}: Omit<Completion, 'completion'>): AnswerEnd {
  return {
    citations: metadata?.citations ?? [],
    sources,
    model: metadata?.model,
    isCut: reason === 'length',
    isAnswered: metadata?.answered,
    failure: metadata?.model_failure,
    processing: metadata?.documents_processing ?? 0,
    index: metadata?.message_index,
    revision: metadata?.chat_revision,
  };
}

export function queryRequest(body: QueryRequest): DescribedRequest {
  return {
    method: 'POST',
    path: '/query',
    body: { ...body, stream_response: true },
    call: `for await (const event of lectern.queryStream(${argumentText(body)})) {\n  if (event.type === 'assistant') process.stdout.write(event.content);\n  if (event.type === 'done') console.log(event.sources);\n}`,
  };
}
