import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { Invalid, LinkedAbort, type Location } from '../../errors/index.js';
import { isReservedKey } from '../../filters/reserved-keys.js';
import { typeMetadata, type TypedMetadata } from '../../filters/metadata-types.js';
import { overlaid } from '../../filters/overlay-metadata.js';
import type { LanguageModel } from '../../llm/language-model.js';
import { LanguageModels } from '../../llm/language-models.js';
import { StructuredOutput } from '../../llm/structured/structured-output.js';
import { extract } from './extraction.js';
import { present, type Found } from './found.js';
import { rewrite } from './rewriting.js';
import type { ExtractionRule, Rule } from './rule.js';
import { ruleFailure } from './rule-failure.js';
import { requireFew } from './windows.js';

/** Calls at once to a model somewhere else; the embedded default works on the event loop, one text at a time. */
const CALLS_AT_ONCE = 4;

/** A text on its way through rules, with the metadata that they found in it. */
export interface RuledText {
  readonly text: string;
  /** Without reserved keys and nulls, coerced to its types. */
  readonly found: TypedMetadata;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** Types that the document's keys have so far. */
  readonly previousTypes?: Readonly<Record<string, string>>;
  /** Told how many texts are done. */
  readonly onProgress?: (done: number) => Promise<void>;
}

export const NOTHING_FOUND: TypedMetadata = { metadata: {}, metadataTypes: {} };

/** Runs rules with the configured model. */
@Injectable()
export class RuleRunner {
  private readonly model: LanguageModel;

  constructor(
    models: LanguageModels,
    private readonly structured: StructuredOutput,
  ) {
    this.model = models.configured;
  }

  /** @throws Invalid for rules that the configured model cannot follow. */
  requireRunnable(rules: readonly Rule[], loc: Location): void {
    if (this.model.followsInstructions) return;
    const items = rules.flatMap(({ type }, index) =>
      type === 'natural_language'
        ? [
            {
              loc: [...loc, index],
              msg: 'Value error, the embedded default does not rewrite text: configure a model with LLM_MODEL',
              type: 'value_error' as const,
            },
          ]
        : [],
    );
    if (items.length > 0) throw new Invalid(items);
  }

  /**
   * Runs the rules of one stage over texts, each on its own, in the order of the rules.
   * @param rules with their positions in the request
   * @throws RuleFailed, TooLongForRules; the reason of the signal.
   */
  async run(
    rules: readonly (readonly [number, Rule])[],
    texts: readonly string[],
    { signal, previousTypes = {}, onProgress }: RunOptions = {},
  ): Promise<RuledText[]> {
    requireFew(texts.length);
    const limit = pLimit(this.model.followsInstructions ? CALLS_AT_ONCE : 1);
    const either = new LinkedAbort(signal);
    let done = 0;
    const one = async (text: string): Promise<RuledText> => {
      either.signal.throwIfAborted();
      const ruled = await this.runOne(rules, text, previousTypes, either.signal);
      await onProgress?.((done += 1));
      return ruled;
    };
    const work = texts.map((text) =>
      limit(() => one(text)).catch((error: unknown) => {
        // The first failure ends the others, so that no call is paid for that nobody needs.
        either.abort(error);
        throw error;
      }),
    );
    await Promise.allSettled(work);
    either.end();
    either.signal.throwIfAborted();
    return Promise.all(work);
  }

  private async runOne(
    rules: readonly (readonly [number, Rule])[],
    content: string,
    previousTypes: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<RuledText> {
    let text = content;
    let found = NOTHING_FOUND;
    for (const [index, rule] of rules) {
      if (text.trim() === '') break;
      try {
        if (rule.type === 'natural_language') {
          text = await rewrite(this.model, rule, text, signal);
        } else {
          const more = await extract(this.model, this.structured, rule, text, signal);
          // What a later rule finds counts.
          found = overlaid(found, typed(rule, more, previousTypes));
        }
      } catch (error) {
        signal.throwIfAborted();
        throw ruleFailure(error, index, rule, !this.model.followsInstructions);
      }
    }
    return { text, found };
  }
}

function typed(
  { types }: ExtractionRule,
  found: Found,
  previousTypes: Readonly<Record<string, string>>,
): TypedMetadata {
  const metadata = Object.fromEntries(Object.entries(present(found)).filter(([key]) => !isReservedKey(key)));
  const declared = Object.fromEntries(Object.entries(types).filter(([key]) => Object.hasOwn(metadata, key)));
  return typeMetadata({ metadata, declared, previousTypes, loc: ['metadata'], typesLoc: ['metadata_types'] });
}
