import {
  expectationOf,
  measure,
  type Expectation,
  type Found,
  type Measured,
  type QuestionResult,
} from '@lectern/evaluation';
import pLimit from 'p-limit';
import { Refused } from '../connection/service-connection.js';
import type { EvalCommand } from './eval-command.js';
import type { EvaluationClient, FoundPassage } from './evaluation-client.js';
import type { Question } from './question-file.js';

/** How much of the ranking is kept for the report. */
const SHOWN = 3;
const SHOWN_CHARACTERS = 240;

const NOTHING: Measured = {
  ndcg_at_10: null,
  reciprocal_rank: null,
  recall_at_1: null,
  recall_at_4: null,
  recall_at_10: null,
  answer_contained: null,
  citation_precision: null,
};

/** Asks a service questions and measures what comes. */
export class Evaluation {
  /**
   * @param ids of the documents that the questions name
   * @param stop ends the run; its signal is that of the client's requests
   */
  constructor(
    private readonly client: EvaluationClient,
    private readonly ids: ReadonlyMap<string, string>,
    private readonly options: Pick<EvalCommand, 'k' | 'answers' | 'concurrency'>,
    private readonly stop: AbortController,
  ) {}

  /**
   * A question that fails does not stop the others, but a service that is gone does.
   * @param report called for every question as soon as it is done
   * @returns what was measured until the end, or until it was stopped
   */
  async run(
    questions: readonly Question[],
    report: (result: QuestionResult) => void,
  ): Promise<QuestionResult[]> {
    const limit = pLimit(this.options.concurrency);
    const results = await Promise.all(
      questions.map((question) =>
        limit(async () => {
          const result = await this.resultOf(question);
          if (result !== null) report(result);
          return result;
        }),
      ),
    );
    return results.filter((result) => result !== null);
  }

  /** null when the run was stopped before the question could be measured. */
  private async resultOf(question: Question): Promise<QuestionResult | null> {
    if (this.isStopped()) return null;
    try {
      return await this.ask(question);
    } catch (error) {
      await this.stopWithoutService(error);
      return this.isStopped() ? null : failure(question, error);
    }
  }

  /** After all tries of a request: without the service every further question would wait as long. */
  private async stopWithoutService(error: unknown): Promise<void> {
    if (error instanceof Refused || this.isStopped()) return;
    await this.client.reach().catch((reason: unknown) => {
      this.stop.abort(reason);
    });
  }

  private isStopped(): boolean {
    return this.stop.signal.aborted;
  }

  private async ask(question: Question): Promise<QuestionResult> {
    const { text, scope, expected } = question;
    const found = await this.client.retrieve(text, this.options.k, scope);
    const completion = this.wantsAnswer(question) ? await this.client.complete(text, scope) : null;
    const expectation = expectationOf(expected, this.ids);
    return {
      ...identity(question),
      measures: measure(found.value, completion?.value ?? null, expectation, expected.answers),
      retrieve_ms: found.ms,
      query_ms: completion?.ms ?? null,
      found: shown(found.value, expectation),
      completion: completion?.value.text ?? null,
      error: null,
    };
  }

  private wantsAnswer({ expected }: Question): boolean {
    const { answers } = this.options;
    return answers === 'all' || (answers === 'expected' && expected.answers.length > 0);
  }
}

/** What a result has of its question. */
export function identity({ key, line, text, scope, expected }: Question) {
  return { key, line, question: text, scope, expected };
}

function failure(question: Question, error: unknown): QuestionResult {
  const { message, cause } = error as Error & { readonly cause?: { readonly code?: string } };
  return {
    ...identity(question),
    measures: NOTHING,
    retrieve_ms: null,
    query_ms: null,
    found: [],
    completion: null,
    error: cause?.code === undefined ? message : `${message} (${cause.code})`,
  };
}

/** The best of what is ranked, each by its first chunk. */
function shown(passages: readonly FoundPassage[], expectation: Expectation | null): Found[] {
  const first = new Map<string, FoundPassage>();
  for (const passage of passages) {
    const unit = expectation?.unitOf(passage) ?? passage.documentId;
    if (!first.has(unit)) first.set(unit, passage);
  }
  return [...first].slice(0, SHOWN).map(([unit, { documentId, filename, page, score, content }]) => ({
    document_id: documentId,
    filename,
    page,
    score,
    relevant: expectation?.grades.has(unit) ?? false,
    text: content.slice(0, SHOWN_CHARACTERS),
  }));
}
