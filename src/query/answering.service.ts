import { Injectable } from '@nestjs/common';
import { Invalid } from '../errors/index.js';
import { printJson } from '../json/exact-json.js';
import type { Usage } from '../llm/completion.js';
import { compileSchema } from '../llm/structured/compile-schema.js';
import type { JsonSchema } from '../llm/structured/json-schema.js';
import { SchemaProblem } from '../llm/structured/schema-problems.js';
import { StructuredOutput, type StructuredCompletion } from '../llm/structured/structured-output.js';
import { CitationWriter } from './citations/citation-writer.js';
import { citableSources, citationEntries, type CitationEntry } from './citations/citations.js';
import type { PreparedQuery } from './preparation.service.js';

/** What the model said, as the caller gets it. */
export interface Answer {
  /** The text, or the value when a schema was given. */
  readonly completion: unknown;
  /** As it is stored in a chat. */
  readonly text: string;
  readonly usage: Usage;
  readonly finishReason: string | null;
  readonly citations: readonly CitationEntry[];
}

export type AnswerEvent =
  { readonly type: 'delta'; readonly text: string } | { readonly type: 'end'; readonly answer: Answer };

/** Asks the model: in words with citations, or in the shape of a schema; at once or as a stream. */
@Injectable()
export class AnsweringService {
  constructor(private readonly structured: StructuredOutput) {}

  async complete(prepared: PreparedQuery): Promise<Answer> {
    const { model, completionRequest, schema } = prepared;
    if (schema !== null) {
      return blamingSchema(async () =>
        answerOf(await this.structured.complete(model, completionRequest, compileSchema(schema))),
      );
    }
    const { text: raw, usage, finishReason } = await model.complete(completionRequest);
    const writer = writerFor(prepared);
    const text = writer.push(raw) + writer.end();
    return {
      completion: text,
      text,
      usage,
      finishReason,
      citations: citationEntries(text, writer.citations),
    };
  }

  /** The deltas together are the completion that `complete` gives for the same words of the model. */
  async *stream(prepared: PreparedQuery): AsyncGenerator<AnswerEvent> {
    if (prepared.schema !== null) {
      yield* this.streamStructured(prepared, prepared.schema);
      return;
    }
    const writer = writerFor(prepared);
    let text = '';
    for await (const event of prepared.model.stream(prepared.completionRequest)) {
      const piece = event.type === 'delta' ? writer.push(event.text) : writer.end();
      text += piece;
      if (piece !== '') yield { type: 'delta', text: piece };
      if (event.type === 'delta') continue;
      const { usage, finishReason } = event;
      const citations = citationEntries(text, writer.citations);
      yield { type: 'end', answer: { completion: text, text, usage, finishReason, citations } };
    }
  }

  private async *streamStructured(
    { model, completionRequest }: PreparedQuery,
    schema: JsonSchema,
  ): AsyncGenerator<AnswerEvent> {
    const events = this.structured.stream(model, completionRequest, compileSchema(schema));
    try {
      for (;;) {
        const next = await blamingSchema(() => events.next());
        if (next.done) return;
        yield next.value.type === 'delta' ? next.value : { type: 'end', answer: answerOf(next.value) };
      }
    } finally {
      await events.return(undefined);
    }
  }
}

function answerOf({ value, usage, finishReason }: StructuredCompletion): Answer {
  return { completion: value, text: printJson(value), usage, finishReason, citations: [] };
}

/** Writes citations when they were asked for; otherwise the text goes through as it is. */
function writerFor({
  completionRequest,
  passages,
}: PreparedQuery): Pick<CitationWriter, 'push' | 'end' | 'citations'> {
  if (completionRequest.grounding.citations) return new CitationWriter(citableSources(passages));
  return { push: (delta) => delta, end: () => '', citations: [] };
}

/** A schema whose check does not end is the caller's fault, found out only when there is a value to check. */
async function blamingSchema<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error;
    throw Invalid.at(['body', 'schema', ...error.path], `Value error, ${error.message}`);
  }
}
