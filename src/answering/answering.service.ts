import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { DeadlineExceeded, ProviderFailed } from '../errors/index.js';
import { addUsage, NO_USAGE } from '../models/llm/language-model.js';
import { EXTRACTIVE } from '../models/llm/no-language-model.js';
import { RateLimited } from '../models/providers/failures.js';
import { addTiming, addTokens, throwIfAborted, timed } from '../request/request-context.js';
import { type CitationEntry, citationEntry } from './citations/citations.js';
import { ModelAnswers } from './model-answers.js';
import { missingSentence, missingWords } from './passages/asked-words.js';
import { PreparationService, type Prepared, type Quoted } from './preparation.service.js';
import { pageLabel } from './prompt/prompt.js';
import type { Answer, AnswerEvent, QuotedPart, Turn, Written } from './turn.js';

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
    try {
      return await this.completed(scope, turn, false);
    } catch (error) {
      const { quoting, modelFailure } = quotingAfter(error, turn);
      try {
        return { ...(await this.completed(scope, quoting, true)), modelFailure };
      } catch {
        throw error; // why the model failed matters more than why nothing can be quoted
      }
    }
  }

  /**
   * Streams an answer. The joined deltas equal the completion of `complete` for the same model output.
   * @throws like `complete`.
   */
  async *stream(scope: Scope, turn: Turn): AsyncGenerator<AnswerEvent> {
    let isBegun = false;
    try {
      for await (const event of this.events(scope, turn, false)) {
        isBegun ||= event.type === 'delta' || event.type === 'calls';
        yield event;
      }
    } catch (error) {
      if (isBegun) throw error;
      const { quoting, modelFailure } = quotingAfter(error, turn);
      try {
        for await (const event of this.events(scope, quoting, true)) {
          yield event.type === 'end' ? { ...event, answer: { ...event.answer, modelFailure } } : event;
        }
      } catch {
        throw error;
      }
    }
  }

  private async completed(scope: Scope, turn: Turn, isCounted: boolean): Promise<Answer> {
    const prepared = await this.preparation.prepare(scope, turn, isCounted);
    const { by } = prepared;
    if (by.kind === 'quotations') return this.quoted(scope, prepared, by);
    const written = await timed('llm', () => this.model.complete(by));
    return answerOf(prepared, written, await this.processing(scope, prepared));
  }

  private async *events(scope: Scope, turn: Turn, isCounted: boolean): AsyncGenerator<AnswerEvent> {
    const prepared = await this.preparation.prepare(scope, turn, isCounted);
    yield { type: 'prepared', evidence: prepared.evidence };
    const { by } = prepared;
    if (by.kind === 'quotations') {
      const answer = await this.quoted(scope, prepared, by);
      const { text, citations, quotations = [] } = answer;
      if (text !== '') yield { type: 'delta', text, citations, quotations };
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

/**
 * Returns the turn that quotes passages after the model has failed, and why it failed.
 * @throws the error if the turn does not ask for it, or if it is not a failure of the model
 */
function quotingAfter(error: unknown, turn: Turn): { readonly quoting: Turn; readonly modelFailure: string } {
  throwIfAborted();
  const isOfModel =
    error instanceof ProviderFailed || error instanceof RateLimited || error instanceof DeadlineExceeded;
  if (!turn.quotesOnFailure || !isOfModel) throw error;
  const quoting = { ...turn, llmConfig: { model: EXTRACTIVE, sampling: {} }, quotesOnFailure: false };
  return { quoting, modelFailure: error.message };
}

/** @throws the abort reason if the caller has disconnected. */
function answerOf({ evidence, notes, usage }: Prepared, written: Written, processing: number): Answer {
  throwIfAborted();
  const total = addUsage(usage, written.usage);
  addTokens(total.promptTokens + total.completionTokens);
  return { ...written, usage: total, notes: [...notes, ...written.notes], evidence, processing };
}

/**
 * Builds an answer from quotations, one paragraph each, with their sources if citations are requested. The first
 * paragraph names the words of the question that the quotations lack, and tells whether the quotations repeat the
 * previous answer. Without quotations, the answer is that none was found.
 *
 * @param processing number of documents that are still being ingested
 */
function quotedAnswer(
  { quotations: { quotations, isCut, isRepeated }, asked, citations: form }: Quoted,
  processing: number,
): Written {
  if (quotations.length === 0 && !isCut) {
    return { ...written(noAnswer(processing)), answered: false };
  }
  const citations: CitationEntry[] = [];
  const quotedParts: QuotedPart[] = [];
  const missing =
    quotations.length === 0
      ? []
      : missingWords(
          asked,
          quotations.map(({ passage }) => passage.chunk),
        );
  const repeated = quotations.length === 1 ? 'The same passage fits best.' : 'The same passages fit best.';
  let text = [missingSentence(missing), isRepeated && quotations.length > 0 ? repeated : '']
    .filter((sentence) => sentence !== '')
    .join(' ');
  for (const { text: quoted, passage, ...evidence } of quotations) {
    text += text === '' ? quoted : `\n\n${quoted}`;
    const { documentId } = passage.chunk;
    quotedParts.push({ start: text.length - quoted.length, end: text.length, document_id: documentId });
    if (form === 'none') continue;
    const label = form === 'labels' ? `[${pageLabel(passage.chunk, evidence.pageNumber)}]` : '';
    if (label !== '') text += ` ${label}`;
    const place = { start: text.length - label.length, end: text.length, text: label };
    citations.push(citationEntry(place, passage.chunk, evidence));
  }
  return {
    ...written(text),
    finishReason: isCut ? 'length' : 'stop',
    citations,
    quotations: quotedParts,
    answered: true,
    ...(missing.length === 0 ? {} : { missingWords: missing }),
  };
}

function written(text: string): Written {
  return {
    completion: text,
    text,
    reasoning: '',
    usage: NO_USAGE,
    finishReason: 'stop',
    citations: [],
    quotations: [],
    notes: [],
  };
}

/**
 * Returns the answer to a question that no passage answers.
 * @param processing number of documents that are still being ingested
 */
function noAnswer(processing: number): string {
  const answer = 'No answer found in the documents.';
  if (processing === 0) return answer;
  const documents = processing === 1 ? '1 document is' : `${processing} documents are`;
  return `${answer} ${documents} still being processed.`;
}
