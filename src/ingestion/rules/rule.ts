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
