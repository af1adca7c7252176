import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { addUsage } from '../models/llm/language-model.js';
import { addTiming, addTokens, throwIfAborted, timed } from '../request/request-context.js';
import { ModelAnswers } from './model-answers.js';
import { type Quoted, quotedAnswer } from './passages/quoted-answer.js';
import { PreparationService, type Prepared } from './preparation.service.js';
import type { Answer, AnswerEvent, Turn, Written } from './turn.js';

/**
 * Answers the turns of conversations, for all protocols: prepares a turn, lets the model answer with citations, or
 * quotes the best passages without a model. Stores nothing. Locations in errors are those of POST /query.
 */
@Injectable()
export class AnsweringService {
  constructor(
    private readonly preparation: PreparationService,
    private readonly model: ModelAnswers,
    private readonly documents: DocumentRepository,
  ) {}

  /**
   * @throws Invalid for a turn that the model cannot answer; the errors of the retrieval and of the provider; the abort
   *   reason if the caller has disconnected.
   */
  async complete(scope: Scope, turn: Turn): Promise<Answer> {
    const prepared = await this.preparation.prepare(scope, turn);
    const { by } = prepared;
    if (by.kind === 'quotations') return this.quoted(scope, prepared, by);
    const written = await timed('llm', () => this.model.complete(by));
    return answerOf(prepared, written, await this.processing(scope, prepared));
  }

  /**
   * Streams an answer. The joined deltas equal the completion of `complete` for the same model output.
   * @throws like `complete`.
   */
  async *stream(scope: Scope, turn: Turn): AsyncGenerator<AnswerEvent> {
    const prepared = await this.preparation.prepare(scope, turn);
    yield { type: 'prepared', evidence: prepared.evidence };
    const { by } = prepared;
    if (by.kind === 'quotations') {
      const answer = await this.quoted(scope, prepared, by);
      const { text, citations } = answer;
      if (text !== '') yield { type: 'delta', text, citations };
      yield { type: 'end', answer };
      return;
    }
    const begun = performance.now();
    for await (const event of this.model.stream(by)) {
      if (event.type !== 'end') {
        yield event;
        continue;
      }
      addTiming('llm', performance.now() - begun);
      const processing = await this.processing(scope, prepared);
      yield { type: 'end', answer: answerOf(prepared, event.written, processing) };
    }
  }

  private async quoted(scope: Scope, prepared: Prepared, quoted: Quoted): Promise<Answer> {
    const processing = await this.processing(scope, prepared);
    return answerOf(prepared, quotedAnswer(quoted, processing), processing);
  }

  /** Number of selected documents that are still being ingested. */
  private async processing(scope: Scope, { selection }: Prepared): Promise<number> {
    return selection === null ? 0 : this.documents.countProcessing(scope, selection);
  }
}

/** @throws the abort reason if the caller has disconnected. */
function answerOf({ evidence, notes, usage }: Prepared, written: Written, processing: number): Answer {
  throwIfAborted();
  const total = addUsage(usage, written.usage);
  addTokens(total.promptTokens + total.completionTokens);
  return { ...written, usage: total, notes: [...notes, ...written.notes], evidence, processing };
}
