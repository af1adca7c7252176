import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { LinkedAbort, type Location } from '../../errors/index.js';
import { isReservedKey, typeMetadata, overlaid, type TypedMetadata } from '../../metadata/typed-metadata.js';
import { LanguageModel } from '../../llm/language-model.js';
import { requireLanguageModel } from '../../llm/no-language-model.js';
import { StructuredOutput } from '../../llm/structured/structured-output.js';
import { currentSignal, runInContext, throwIfAborted } from '../../request/request-context.js';
import { extract, type Found, present } from './extraction.js';
import { rewrite } from './rewriting.js';
import { type ExtractionRule, type Rule, ruleFailure } from './rule.js';
import { requireFew } from './windows.js';

/** Maximum number of concurrent model calls. */
const CALLS_AT_ONCE = 4;

/** A text after rules, with the extracted metadata. */
export interface RuledText {
  readonly text: string;
  /** Typed metadata without reserved keys and nulls. */
  readonly found: TypedMetadata;
}

export interface RunOptions {
  /** Current types of the document's metadata keys. */
  readonly previousTypes?: Readonly<Record<string, string>>;
  /** Receives the number of completed texts. */
  readonly onProgress?: (done: number) => Promise<void>;
}

export const NOTHING_FOUND: TypedMetadata = { metadata: {}, metadataTypes: {} };

/** Runs rules with the configured language model. */
@Injectable()
export class RuleRunner {
  constructor(
    private readonly model: LanguageModel,
    private readonly structured: StructuredOutput,
  ) {}

  /** @throws Invalid for each rule if no language model is configured. */
  requireRunnable(rules: readonly Rule[], loc: Location): void {
    requireLanguageModel(
      this.model,
      rules.map((_, index) => [...loc, index]),
    );
  }

  /**
   * Applies the rules of one stage to each text, in the order of the rules.
   * @param rules rules with their positions in the request
   * @throws RuleFailed, TooLongForRules; the abort reason of the current signal.
   */
  async run(
    rules: readonly (readonly [number, Rule])[],
    texts: readonly string[],
    { previousTypes = {}, onProgress }: RunOptions = {},
  ): Promise<RuledText[]> {
    requireFew(texts.length);
    const limit = pLimit(CALLS_AT_ONCE);
    const abort = new LinkedAbort(currentSignal());
    let done = 0;
    const one = async (text: string): Promise<RuledText> => {
      throwIfAborted();
      const ruled = await this.runOne(rules, text, previousTypes);
      await onProgress?.((done += 1));
      return ruled;
    };
    const work = runInContext(abort.signal, () =>
      texts.map((text) =>
        limit(() => one(text)).catch((error: unknown) => {
          // The first failure aborts the other calls: their answers would be discarded.
          abort.abort(error);
          throw error;
        }),
      ),
    );
    await Promise.allSettled(work);
    abort.end();
    abort.signal.throwIfAborted();
    return Promise.all(work);
  }

  private async runOne(
    rules: readonly (readonly [number, Rule])[],
    content: string,
    previousTypes: Readonly<Record<string, string>>,
  ): Promise<RuledText> {
    let text = content;
    let found = NOTHING_FOUND;
    for (const [index, rule] of rules) {
      if (text.trim() === '') break;
      try {
        if (rule.type === 'natural_language') {
          text = await rewrite(this.model, rule, text);
        } else {
          const more = await extract(this.model, this.structured, rule, text);
          // Values of later rules win.
          found = overlaid(found, typed(rule, more, previousTypes));
        }
      } catch (error) {
        throwIfAborted();
        throw ruleFailure(error, index, rule);
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
