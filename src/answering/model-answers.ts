import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Invalid } from '../errors/index.js';
import { printJson } from '../json/exact-json.js';
import {
  type CompletionRequest,
  joinToolCalls,
  type LanguageModel,
  type ToolCallDelta,
  ToolsRefused,
} from '../models/llm/language-model.js';
import { JoinedPieces } from '../models/llm/reasoning/reasoning-splitter.js';
import { compileSchema } from '../models/llm/structured/compile-schema.js';
import { type JsonSchema, SchemaProblem } from '../models/llm/structured/json-schema.js';
import { type StructuredCompletion, StructuredOutput } from '../models/llm/structured/structured-output.js';
import { type CitationForm, CitationWriter } from './citations/citations.js';
import { callsAsText, type PromptPassage } from './prompt/prompt.js';
import type { AnswerPiece, Written } from './turn.js';

export interface Prompted {
  readonly model: LanguageModel;
  readonly request: CompletionRequest;
  readonly schema: JsonSchema | null;
  /** Like `calledAs` of the turn. */
  readonly calledAs: string | null;
  readonly citations: CitationForm;
  readonly passages: readonly PromptPassage[];
}

type ModelEvent = AnswerPiece | { readonly type: 'end'; readonly written: Written };

/** Calls a model for an answer with citations, or for a value that is valid against a schema. */
@Injectable()
export class ModelAnswers {
  constructor(private readonly structured: StructuredOutput) {}

  async complete(prompted: Prompted): Promise<Written> {
    try {
      return await this.ask(prompted);
    } catch (error) {
      const note = noteOf(error);
      return withNote(await this.ask(withoutTools(prompted)), note);
    }
  }

  /** Streams an answer. The joined deltas equal the completion of `complete` for the same model output. */
  async *stream(prompted: Prompted): AsyncGenerator<ModelEvent> {
    try {
      yield* this.events(prompted);
    } catch (error) {
      // Restarts the stream. Nothing has been sent, because a provider rejects functions before it sends any output.
      const note = noteOf(error);
      for await (const event of this.events(withoutTools(prompted))) {
        yield event.type === 'end' ? { ...event, written: withNote(event.written, note) } : event;
      }
    }
  }

  private async ask(prompted: Prompted): Promise<Written> {
    const { model, request, schema, calledAs } = prompted;
    if (schema !== null) {
      return blamingSchema(async () =>
        valueOf(await this.structured.complete(model, request, compileSchema(schema)), calledAs),
      );
    }
    const { text: raw, refused, reasoning, usage, finishReason, toolCalls } = await model.complete(request);
    if (refused === true) return refusalOf(raw, { reasoning, usage, finishReason });
    const writer = writerFor(prompted);
    const text = writer.push(raw) + writer.end();
    const { citations } = writer;
    return {
      completion: text,
      text,
      reasoning,
      usage,
      finishReason,
      citations,
      ...(toolCalls === undefined ? {} : { toolCalls }),
      notes: [],
    };
  }

  private async *events(prompted: Prompted): AsyncGenerator<ModelEvent> {
    if (prompted.calledAs !== null) {
      // Invalid arguments lead to another model call, so nothing can be sent before they are valid.
      const written = await this.ask(prompted);
      if (written.refused === true) yield refusalPiece(written.text);
      yield { type: 'calls', deltas: (written.toolCalls ?? []).map((call, index) => ({ index, ...call })) };
      yield { type: 'end', written };
    } else if (prompted.schema !== null) {
      yield* this.streamStructured(prompted, prompted.schema);
    } else {
      yield* this.streamText(prompted);
    }
  }

  private async *streamText(prompted: Prompted): AsyncGenerator<ModelEvent> {
    let writer = writerFor(prompted);
    let text = '';
    let refusal = '';
    const joined = new JoinedPieces();
    const notes: string[] = [];
    const calls: ToolCallDelta[] = [];
    for await (const event of prompted.model.stream(prompted.request)) {
      if (event.type === 'calls') {
        calls.push(...event.deltas);
        yield event;
      } else if (event.type === 'refusal') {
        refusal += event.text;
        yield refusalPiece(event.text);
      } else if (event.type === 'reasoning') {
        joined.add(event);
        yield event;
      } else if (event.type === 'retraction') {
        joined.add(event);
        text = '';
        writer = writerFor(prompted);
        notes.push(UNMARKED_REASONING);
        yield event;
      } else {
        if (event.type === 'delta') joined.add(event);
        const piece = event.type === 'delta' ? writer.push(event.text) : writer.end();
        const { citations } = writer;
        text += piece;
        if (piece !== '') yield { type: 'delta', text: piece, citations };
        if (event.type === 'delta') continue;
        const { usage, finishReason } = event;
        if (refusal !== '' && text.trim() === '') {
          const reasoning = joined.reasoning.trim();
          yield { type: 'end', written: refusalOf(refusal, { reasoning, usage, finishReason }) };
          return;
        }
        const written = {
          completion: text,
          text,
          reasoning: joined.reasoning.trim(),
          usage,
          finishReason,
          citations,
          ...(calls.length === 0 ? {} : { toolCalls: joinToolCalls(calls) }),
          notes,
        };
        yield { type: 'end', written };
      }
    }
  }

  private async *streamStructured(
    { model, request }: Prompted,
    schema: JsonSchema,
  ): AsyncGenerator<ModelEvent> {
    const events = this.structured.stream(model, request, compileSchema(schema));
    try {
      for (;;) {
        const next = await blamingSchema(() => events.next());
        if (next.done) return;
        const event = next.value;
        if (event.type === 'end') yield { type: 'end', written: valueOf(event, null) };
        else if (event.type === 'refusal') yield refusalPiece(event.text);
        else yield event.type === 'delta' ? { ...event, citations: [] } : event;
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

function refusalOf(text: string, made: Pick<Written, 'reasoning' | 'usage' | 'finishReason'>): Written {
  return { ...made, completion: text, text, refused: true, citations: [], notes: [REFUSED] };
}

const REFUSED = 'The model refused to answer: the completion is its refusal';

function refusalPiece(text: string): ModelEvent {
  return { type: 'delta', text, citations: [], refused: true };
}

function withNote(written: Written, note: string): Written {
  return { ...written, notes: [note, ...written.notes] };
}

/** The call without functions. Earlier calls in the conversation become text, because the provider rejects them too. */
function withoutTools(prompted: Prompted): Prompted {
  const { tools: _, messages, ...request } = prompted.request;
  return { ...prompted, request: { ...request, messages: callsAsText(messages) } };
}

/**
 * Converts a structured completion to an answer.
 * @param calledAs name of the function to call with the value as arguments; null: the value is the answer itself
 */
function valueOf(
  { value, text, refused, reasoning, usage, finishReason, toolCalls }: StructuredCompletion,
  calledAs: string | null,
): Written {
  if (refused === true) return refusalOf(text, { reasoning, usage, finishReason });
  const written = { reasoning, usage, finishReason, citations: [], notes: [] };
  if (toolCalls !== undefined) return { ...written, completion: text, text, toolCalls };
  const json = printJson(value);
  if (calledAs === null) return { ...written, completion: value, text: json };
  const call = { id: `call_${randomUUID()}`, name: calledAs, arguments: json };
  return { ...written, completion: '', text: json, toolCalls: [call] };
}

function writerFor({ citations, passages }: Prompted): Pick<CitationWriter, 'push' | 'end' | 'citations'> {
  if (citations !== 'none') return new CitationWriter(passages, citations);
  return { push: (delta) => delta, end: () => '', citations: [] };
}

/**
 * Reports a schema problem as an invalid field of the request. The problem may occur this late, because a schema that
 * takes too long to validate is detected only when a value is validated.
 */
async function blamingSchema<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error;
    throw Invalid.at(['body', 'schema', ...error.path], `Value error, ${error.message}`);
  }
}
