import {
  expectationOf,
  measure,
  type Expectation,
  type Found,
  type Measured,
  type QuestionResult,
} from '@lectern/evaluation';
import pLimit from 'p-limit';
import { reasonOf } from '../service.js';
import type { Question } from './question-file.js';
import type { FoundPassage, ServiceUnderTest } from './service-under-test.js';

/** Which questions are also sent to POST /query: the questions with an expected answer, all questions, or none. */
export const ANSWERS = ['expected', 'all', 'none'] as const;

/** Options of a run. */
export interface Asking {
  readonly k: number;
  readonly answers: (typeof ANSWERS)[number];
  /** Number of concurrent questions. */
  readonly concurrency: number;
}

/** Limits of the report: number of top results per question, and characters per result. */
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

/** Sends questions to a service and measures the results. */
export class Evaluation {
  /**
   * @param ids document ids by the names that the questions use
   * @param stop ends the run; its signal aborts requests
   */
  constructor(
    private readonly service: ServiceUnderTest,
    private readonly ids: ReadonlyMap<string, string>,
    private readonly options: Asking,
    private readonly stop: AbortController,
  ) {}

  /**
   * A failed question does not stop the run, but an unreachable service does.
   *
   * @param report called after each question
   * @returns all results or, if the run was stopped, the results until then
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

  /** Measures one question; null if the run was stopped before the question. */
  private async resultOf(question: Question): Promise<QuestionResult | null> {
    if (this.isStopped()) return null;
    try {
      return await this.ask(question);
    } catch (error) {
      await this.stopWithoutService();
      return this.isStopped() ? null : failure(question, error);
    }
  }

  /** Stops the run if the service is unreachable, because every further question would wait for all its retries. */
  private async stopWithoutService(): Promise<void> {
    if (this.isStopped()) return;
    await this.service.reach().catch((reason: unknown) => {
      this.stop.abort(reason);
    });
  }

  private isStopped(): boolean {
    return this.stop.signal.aborted;
  }

  private async ask(question: Question): Promise<QuestionResult> {
    const { text, scope, expected } = question;
    const found = await this.service.retrieve(text, this.options.k, scope);
    const completion = this.wantsAnswer(question) ? await this.service.complete(text, scope) : null;
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

/** Fields of a result that come from its question. */
export function identity({ key, line, text, scope, expected }: Question) {
  return { key, line, question: text, scope, expected };
}

function failure(question: Question, error: unknown): QuestionResult {
  return {
    ...identity(question),
    measures: NOTHING,
    retrieve_ms: null,
    query_ms: null,
    found: [],
    completion: null,
    error: reasonOf(error),
  };
}

/** The top of the ranking, as the report shows it: the first chunk of each ranking unit (document, page or chunk). */
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
