import { Injectable } from '@nestjs/common';
import { Invalid, ProviderFailed } from '../../errors/index.js';
import {
  addUsage,
  type Completion,
  type CompletionEvent,
  type CompletionRequest,
  type ResponseFormat,
  type Usage,
} from '../completion.js';
import { ResponseFormatRefused, type LanguageModel } from '../language-model.js';
import type { CompiledSchema } from './compile-schema.js';
import { readValue, type ReadValue } from './extract-json.js';
import { formatsFor, RefusedFormats } from './formats.js';
import { repairRequest } from './repair.js';

/** A value that is valid against its schema, and what it took to get it. */
export interface StructuredCompletion {
  readonly value: unknown;
  /** The JSON text of the value, as the model wrote it. */
  readonly text: string;
  /** Summed over every call. */
  readonly usage: Usage;
  readonly finishReason: string | null;
}

/** The model answered, and twice in another shape than the schema's. */
export class WrongShape extends ProviderFailed {
  constructor(
    message: string,
    /** Of the calls that were made. */
    readonly usage: Usage,
  ) {
    super(message);
  }
}

export type StructuredEvent =
  { readonly type: 'delta'; readonly text: string } | ({ readonly type: 'end' } & StructuredCompletion);

/**
 * Completions of a given shape: the provider's JSON-schema mode where it has one, then its JSON mode, then plain text
 * with extraction; the answer is checked against the schema and, if it is not valid, asked for once more with what is
 * wrong with it.
 */
@Injectable()
export class StructuredOutput {
  private readonly refused = new RefusedFormats();

  /** @throws WrongShape when the answer is still not valid after the repair. */
  async complete(
    model: LanguageModel,
    request: CompletionRequest,
    schema: CompiledSchema,
  ): Promise<StructuredCompletion> {
    const refusing: ResponseFormat[] = [];
    for (const format of this.refused.without(model, formatsFor(model, schema.schema))) {
      const formatted = { ...request, format };
      try {
        const first = await model.complete(formatted);
        this.refused.note(model, refusing);
        return await this.settle(model, formatted, schema, first);
      } catch (error) {
        refusing.push(refusedBy(format, error));
      }
    }
    throw new ProviderFailed(`The provider of ${model.name} refused every response format`);
  }

  /** As `complete`; the deltas are the first answer as it is produced, a repair is not streamed. */
  async *stream(
    model: LanguageModel,
    request: CompletionRequest,
    schema: CompiledSchema,
  ): AsyncGenerator<StructuredEvent> {
    const refusing: ResponseFormat[] = [];
    for (const format of this.refused.without(model, formatsFor(model, schema.schema))) {
      const formatted = { ...request, format };
      let text = '';
      let end: Extract<CompletionEvent, { type: 'end' }> | undefined;
      try {
        for await (const event of model.stream(formatted)) {
          if (event.type === 'end') {
            end = event;
            continue;
          }
          text += event.text;
          yield event;
        }
      } catch (error) {
        refusing.push(refusedBy(format, error));
        continue;
      }
      this.refused.note(model, refusing);
      if (end === undefined) throw new ProviderFailed(`The stream of ${model.name} broke off`);
      yield { type: 'end', ...(await this.settle(model, formatted, schema, { ...end, text })) };
      return;
    }
    throw new ProviderFailed(`The provider of ${model.name} refused every response format`);
  }

  private async settle(
    model: LanguageModel,
    request: CompletionRequest,
    schema: CompiledSchema,
    first: Completion,
  ): Promise<StructuredCompletion> {
    const read = readValue(first.text, schema);
    if (read.valid) return outcome(read, first, first.usage);
    if (!model.followsInstructions) {
      throw Invalid.at(['body', 'schema'], `cannot be filled from the passages: ${read.problems.join('; ')}`);
    }
    const second = await model.complete(repairRequest(model, request, first.text, read.problems));
    const repaired = readValue(second.text, schema);
    if (repaired.valid) return outcome(repaired, second, addUsage(first.usage, second.usage));
    const cut = second.finishReason === 'length' ? ' (it was cut off at the token limit)' : '';
    const problems = repaired.problems.slice(0, 3).join('; ');
    throw new WrongShape(
      `The model ${model.name} did not answer in the shape of the schema${cut}: ${problems}`,
      addUsage(first.usage, second.usage),
    );
  }
}

/** The format, when the error says that the provider does not take it. @throws `error` otherwise. */
function refusedBy(format: ResponseFormat, error: unknown): ResponseFormat {
  if (!(error instanceof ResponseFormatRefused) || format.kind === 'text') throw error;
  return format;
}

function outcome(
  read: ReadValue & { valid: true },
  completion: Completion,
  usage: Usage,
): StructuredCompletion {
  return { value: read.value, text: read.text, usage, finishReason: completion.finishReason };
}
