import { Invalid, LecternError, PayloadTooLarge, ProviderFailed } from '../../errors/index.js';
import type { JsonSchema } from '../../llm/structured/json-schema.js';

/** When a rule runs: on the whole content, or on each chunk of it. */
export const RULE_STAGES = ['post_parsing', 'post_chunking'] as const;
export type RuleStage = (typeof RULE_STAGES)[number];

/** Metadata is found in the content and merged. */
export interface ExtractionRule {
  readonly type: 'metadata_extraction';
  readonly stage: RuleStage;
  /** Of an object whose members become metadata. */
  readonly schema: JsonSchema;
  /** Declared types of metadata keys that the rule may find. */
  readonly types: Readonly<Record<string, string>>;
}

/** The content is rewritten before it is stored. */
export interface RewritingRule {
  readonly type: 'natural_language';
  readonly stage: RuleStage;
  readonly prompt: string;
}

/** What a language model does with content on its way in. Rules are stored in jobs as they are. */
export type Rule = ExtractionRule | RewritingRule;

/** The rules with types that the request declares for keys which it leaves to the rules to find. */
export function withDeclaredTypes(
  rules: readonly Rule[],
  declared: Readonly<Record<string, string>> | null,
): Rule[] {
  return rules.map((rule) =>
    rule.type === 'metadata_extraction' ? { ...rule, types: { ...rule.types, ...declared } } : rule,
  );
}

/** A rule could not be carried out, and nothing of its content is stored. */
export class RuleFailed extends ProviderFailed {
  /** @param permanent trying again would fail as well */
  constructor(
    reason: string,
    readonly permanent: boolean,
    retryAfterSeconds?: number,
    options?: ErrorOptions,
  ) {
    super(reason, retryAfterSeconds, options);
  }
}

/** The content has more parts than one rule may ask the model about. */
export class TooLongForRules extends PayloadTooLarge {}

/**
 * What a failed rule is told as. A busy or slow provider's wait is kept.
 */
export function ruleFailure(error: unknown, index: number, rule: Rule): unknown {
  if (error instanceof TooLongForRules || !(error instanceof LecternError)) return error;
  const reason = error instanceof Invalid ? error.items.map(({ msg }) => msg).join('; ') : error.message;
  const isPermanent = error instanceof RuleFailed && error.permanent;
  return new RuleFailed(
    `Rule ${index} (${rule.type}) failed: ${reason}`,
    isPermanent,
    error.retryAfterSeconds,
    { cause: error },
  );
}
