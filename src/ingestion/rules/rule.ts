import { Invalid, LecternError, QuotaUsedUp, PayloadTooLarge, ProviderFailed } from '../../errors/index.js';
import type { JsonSchema } from '../../models/llm/structured/json-schema.js';

/** Stages at which rules run: after parsing, on the whole content; or after chunking, on each chunk. */
export const RULE_STAGES = ['post_parsing', 'post_chunking'] as const;
export type RuleStage = (typeof RULE_STAGES)[number];

export interface ExtractionRule {
  readonly type: 'metadata_extraction';
  readonly stage: RuleStage;
  /** Schema of an object whose members become metadata. */
  readonly schema: JsonSchema;
  /** Declared types of the extracted metadata keys. */
  readonly types: Readonly<Record<string, string>>;
}

/** A rule that rewrites the content before it is stored. */
export interface RewritingRule {
  readonly type: 'natural_language';
  readonly stage: RuleStage;
  readonly prompt: string;
}

/** An instruction for a language model that processes content during ingestion. Jobs store rules in this shape. */
export type Rule = ExtractionRule | RewritingRule;

/** Adds the metadata types that a request declares to the extraction rules of the request. */
export function withDeclaredTypes(
  rules: readonly Rule[],
  declared: Readonly<Record<string, string>> | null,
): Rule[] {
  return rules.map((rule) =>
    rule.type === 'metadata_extraction' ? { ...rule, types: { ...rule.types, ...declared } } : rule,
  );
}

/** Thrown if a rule fails. None of the content is then stored. */
export class RuleFailed extends ProviderFailed {
  /** @param permanent whether a retry would also fail */
  constructor(
    reason: string,
    readonly permanent: boolean,
    retryAfterSeconds?: number,
    options?: ErrorOptions,
  ) {
    super(reason, retryAfterSeconds, options);
  }
}

/** Thrown if the content needs more model calls than one rule may make. */
export class TooLongForRules extends PayloadTooLarge {}

/** Adds the rule's index and type to an error. Keeps the retry delay of the provider. */
export function ruleFailure(error: unknown, index: number, rule: Rule): unknown {
  if (error instanceof TooLongForRules || !(error instanceof LecternError)) return error;
  const reason = error instanceof Invalid ? error.items.map(({ msg }) => msg).join('; ') : error.message;
  const isPermanent = error instanceof QuotaUsedUp || (error instanceof RuleFailed && error.permanent);
  return new RuleFailed(
    `Rule ${index} (${rule.type}) failed: ${reason}`,
    isPermanent,
    error.retryAfterSeconds,
    { cause: error },
  );
}
