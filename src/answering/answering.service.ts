import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Invalid } from '../errors/index.js';
import { printJson } from '../json/exact-json.js';
import {
  joinToolCalls,
  NO_USAGE,
  type ToolCall,
  type ToolCallDelta,
  ToolsRefused,
  type Usage,
} from '../models/llm/language-model.js';
import { NoLanguageModel } from '../models/llm/no-language-model.js';
import { JoinedPieces } from '../models/llm/reasoning/reasoning-splitter.js';
import { compileSchema } from '../models/llm/structured/compile-schema.js';
import { type JsonSchema, SchemaProblem } from '../models/llm/structured/json-schema.js';
import { StructuredOutput, type StructuredCompletion } from '../models/llm/structured/structured-output.js';
import {
  type CitationEntry,
  citationEntry,
  type CitationForm,
  CitationWriter,
} from './citations/citations.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { BestPassages, type Quotations } from './passages/best-passages.js';
import { missingSentence, missingWords } from './passages/asked-words.js';
import { pageLabel } from './prompt/prompt.js';
import type { PreparedQuery } from './preparation.service.js';

/** The part of a prepared query that the model call needs. */
export type Prompted = Pick<
  PreparedQuery,
  | 'model'
  | 'completionRequest'
  | 'schema'
  | 'calledAs'
  | 'question'
  | 'asked'
  | 'previous'
  | 'citations'
  | 'passages'
  | 'scope'
  | 'selection'
>;

/** The model's answer in the caller's format. */
export interface Answer {
  readonly completion: unknown;
  readonly text: string;
  /** Reasoning of the model before its answer; empty if the provider returns no reasoning. */
  readonly reasoning: string;
  readonly usage: Usage;
  readonly finishReason: string | null;
  readonly citations: readonly CitationEntry[];
  /** Calls of the caller's functions; absent if there are none. */
  readonly toolCalls?: readonly ToolCall[];
  /** Whether the passages answer the question. Set only without a language model. */
  readonly answered?: boolean;
  /** Words of the question that the quoted passages do not contain. Set only without a language model. */
  readonly missingWords?: readonly string[];
  /** Notes on features of the request that were not used. */
  readonly notes?: readonly string[];
}

export type AnswerEvent =
  | { readonly type: 'delta'; readonly text: string; readonly citations?: readonly CitationEntry[] }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'calls'; readonly deltas: readonly ToolCallDelta[] }
  | { readonly type: 'end'; readonly answer: Answer };

/**
 * Calls the model for an answer with citations, or for a value that matches a schema. Returns the result as a whole or
 * as a stream. Without a model, the answer quotes the best passages.
 */
@Injectable()
export class AnsweringService {
  constructor(
    private readonly structured: StructuredOutput,
    private readonly bestPassages: BestPassages,
    private readonly documents: DocumentRepository,
  ) {}

  async complete(prepared: Prompted): Promise<Answer> {
    try {
      return await this.ask(prepared);
    } catch (error) {
      const notes = [noteOf(error)];
      return withNotes(await this.ask(withoutTools(prepared)), notes);
    }
  }

  /** Streams an answer. The joined deltas equal the completion of `complete` for the same model output. */
  async *stream(prepared: Prompted): AsyncGenerator<AnswerEvent> {
    try {
      yield* this.events(prepared);
    } catch (error) {
      // Restarts the stream. Nothing has been sent, because a provider rejects functions before it sends any output.
      const notes = [noteOf(error)];
      for await (const event of this.events(withoutTools(prepared))) {
        yield event.type === 'end' ? { ...event, answer: withNotes(event.answer, notes) } : event;
      }
    }
  }

  private async ask(prepared: Prompted): Promise<Answer> {
    const { model, completionRequest, schema, calledAs } = prepared;
    if (model instanceof NoLanguageModel) return this.quoted(prepared);
    if (schema !== null) {
      return blamingSchema(async () =>
        answerOf(await this.structured.complete(model, completionRequest, compileSchema(schema)), calledAs),
      );
    }
    const { text: raw, reasoning, usage, finishReason, toolCalls } = await model.complete(completionRequest);
    const writer = writerFor(prepared);
    const text = writer.push(raw) + writer.end();
    return {
      completion: text,
      text,
      reasoning,
      usage,
      finishReason,
      citations: writer.citations,
      ...(toolCalls === undefined ? {} : { toolCalls }),
    };
  }

  private async *events(prepared: Prompted): AsyncGenerator<AnswerEvent> {
    if (prepared.model instanceof NoLanguageModel) {
      const answer = await this.quoted(prepared);
      if (answer.text !== '') yield { type: 'delta', text: answer.text };
      yield { type: 'end', answer };
      return;
    }
    if (prepared.calledAs !== null) {
      // Invalid arguments lead to another model call, so nothing can be sent before they are valid.
      const answer = await this.ask(prepared);
      yield { type: 'calls', deltas: (answer.toolCalls ?? []).map((call, index) => ({ index, ...call })) };
      yield { type: 'end', answer };
      return;
    }
    if (prepared.schema !== null) {
      yield* this.streamStructured(prepared, prepared.schema);
      return;
    }
    let writer = writerFor(prepared);
    let text = '';
    const written = new JoinedPieces();
    const notes: string[] = [];
    const calls: ToolCallDelta[] = [];
    for await (const event of prepared.model.stream(prepared.completionRequest)) {
      if (event.type === 'calls') {
        calls.push(...event.deltas);
        yield event;
        continue;
      }
      if (event.type !== 'end') written.add(event);
      if (event.type === 'reasoning') {
        yield event;
        continue;
      }
      if (event.type === 'retraction') {
        text = '';
        writer = writerFor(prepared);
        notes.push(UNMARKED_REASONING);
        continue;
      }
      const piece = event.type === 'delta' ? writer.push(event.text) : writer.end();
      text += piece;
      if (piece !== '') yield { type: 'delta', text: piece, citations: writer.citations };
      if (event.type === 'delta') continue;
      const { usage, finishReason } = event;
      const { citations } = writer;
      const called = calls.length === 0 ? {} : { toolCalls: joinToolCalls(calls) };
      const answer = { completion: text, text, usage, finishReason, citations, ...called };
      yield { type: 'end', answer: withNotes({ ...answer, reasoning: written.reasoning.trim() }, notes) };
    }
  }

  private async quoted({
    question,
    asked,
    previous,
    passages,
    completionRequest: { maxTokens },
    citations,
    scope,
    selection,
  }: Prompted): Promise<Answer> {
    const found = await this.bestPassages.quote(question, passages, maxTokens, previous);
    if (found.quotations.length > 0 || found.isCut) {
      return answerOfQuotations(found, asked, citations);
    }
    const text = noAnswer(await this.documents.countProcessing(scope, selection));
    return {
      completion: text,
      text,
      reasoning: '',
      usage: NO_USAGE,
      finishReason: 'stop',
      citations: [],
      answered: false,
    };
  }

  private async *streamStructured(
    { model, completionRequest }: Prompted,
    schema: JsonSchema,
  ): AsyncGenerator<AnswerEvent> {
    const events = this.structured.stream(model, completionRequest, compileSchema(schema));
    try {
      for (;;) {
        const next = await blamingSchema(() => events.next());
        if (next.done) return;
        if (next.value.type === 'retraction') continue; // the last event contains the value
        yield next.value.type === 'end' ? { type: 'end', answer: answerOf(next.value, null) } : next.value;
      }
    } finally {
      await events.return(undefined);
    }
  }
}

/**
 * Returns the note for an answer that was given without functions, because the provider does not support functions with
 * this model.
 * @throws any other error.
 */
function noteOf(error: unknown): string {
  if (!(error instanceof ToolsRefused)) throw error;
  return `${error.message}: the model answered without them`;
}

/** The note for a stream that sent reasoning as the first deltas of the answer. */
const UNMARKED_REASONING =
  'The model began with unmarked reasoning, which was streamed as part of the answer: the answer is the completion of the last event';

function withNotes(answer: Answer, notes: readonly string[]): Answer {
  const all = [...notes, ...(answer.notes ?? [])];
  return all.length === 0 ? answer : { ...answer, notes: all };
}

function withoutTools(prepared: Prompted): Prompted {
  const { tools: _, ...completionRequest } = prepared.completionRequest;
  return { ...prepared, completionRequest };
}

/**
 * Converts a structured completion to an answer.
 * @param calledAs name of the function to call with the value as arguments; null: the value is the answer itself
 */
function answerOf(
  { value, text, reasoning, usage, finishReason, toolCalls }: StructuredCompletion,
  calledAs: string | null,
): Answer {
  const answer = { reasoning, usage, finishReason, citations: [] };
  if (toolCalls !== undefined) return { ...answer, completion: text, text, toolCalls };
  const json = printJson(value);
  if (calledAs === null) return { ...answer, completion: value, text: json };
  const call = { id: `call_${randomUUID()}`, name: calledAs, arguments: json };
  return { ...answer, completion: '', text: json, toolCalls: [call] };
}

/**
 * Returns the answer to a question that no passage answers.
 * @param processing number of documents that are still being ingested
 */
export function noAnswer(processing: number): string {
  const answer = 'No answer found in the documents.';
  if (processing === 0) return answer;
  const documents = processing === 1 ? '1 document is' : `${processing} documents are`;
  return `${answer} ${documents} still being processed.`;
}

/**
 * Builds an answer from quotations, one paragraph each, with their sources if citations are requested. The first
 * paragraph names the words of the question that the quotations lack, and tells whether the quotations repeat the
 * previous answer.
 */
function answerOfQuotations(
  { quotations, isCut, isRepeated }: Quotations,
  asked: string,
  form: CitationForm,
): Answer {
  const citations: CitationEntry[] = [];
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
    if (form === 'none') continue;
    const label = form === 'labels' ? `[${pageLabel(passage.chunk, evidence.pageNumber)}]` : '';
    if (label !== '') text += ` ${label}`;
    const place = { start: text.length - label.length, end: text.length, text: label };
    citations.push(citationEntry(place, passage.chunk, evidence));
  }
  return {
    completion: text,
    text,
    reasoning: '',
    usage: NO_USAGE,
    finishReason: isCut ? 'length' : 'stop',
    citations,
    answered: true,
    ...(missing.length === 0 ? {} : { missingWords: missing }),
  };
}

function writerFor({ citations, passages }: Prompted): Pick<CitationWriter, 'push' | 'end' | 'citations'> {
  if (citations !== 'none') return new CitationWriter(passages, citations);
  return { push: (delta) => delta, end: () => '', citations: [] };
}

/**
 * Converts a schema problem to an error of the request. The problem may occur this late, because a schema that takes
 * too long to validate is detected only when a value is validated.
 */
async function blamingSchema<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error;
    throw Invalid.at(['body', 'schema', ...error.path], `Value error, ${error.message}`);
  }
}
