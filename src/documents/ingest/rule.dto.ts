import { IsArray } from 'class-validator';
import { type Location, wording, violation } from '../../errors/index.js';
import { type Parse, readInput, type Type } from '../../http/input/input.pipe.js';
import { ChoiceField, Field, ParsedObjectField, schemaOf, TextField } from '../../http/input/fields.js';
import { eachOf, inTurn, storableJson } from '../../http/input/parse.js';
import { isJsonObject } from '../../json/exact-json.js';
import { metadataSchemaOf, type MetadataSchema } from '../../ingestion/rules/metadata-schema.js';
import { RULE_STAGES, type Rule, type RuleStage } from '../../ingestion/rules/rule.js';

const STAGE = {
  description: 'post_parsing: on the whole content. post_chunking: on each chunk.',
  example: 'post_parsing',
  values: RULE_STAGES,
};

class MetadataExtractionRule {
  @ChoiceField({ description: 'Type of the rule.', values: ['metadata_extraction'], required: true })
  type: 'metadata_extraction';

  @ParsedObjectField({
    description: 'JSON Schema of an object, or `{field: {type, description}}`.',
    example: { author: { type: 'string', description: 'Who wrote it' } },
    required: true,
    parse: inTurn(storableJson, (value, loc) => metadataSchemaOf(value as Record<string, unknown>, loc)),
  })
  schema: MetadataSchema;

  @ChoiceField(STAGE)
  stage: RuleStage = 'post_parsing';
}

class NaturalLanguageRule {
  @ChoiceField({ description: 'Type of the rule.', values: ['natural_language'], required: true })
  type: 'natural_language';

  @TextField({
    description: 'Instruction for rewriting the content before it is stored.',
    example: 'Remove personal names.',
    required: true,
    notBlank: true,
  })
  prompt: string;

  @ChoiceField(STAGE)
  stage: RuleStage = 'post_parsing';
}

const RULES: Readonly<Record<string, Type>> = {
  metadata_extraction: MetadataExtractionRule,
  natural_language: NaturalLanguageRule,
};

/** Parses a rule with the class of its type. */
const rule: Parse = (value, loc, settings) => {
  if (!isJsonObject(value)) throw violation(loc, 'isJsonObject');
  return asRule(readInput(ruleClass(value, loc), value, loc, settings));
};

function ruleClass({ type }: Record<string, unknown>, loc: Location): Type {
  if (type === undefined) throw violation([...loc, 'type'], 'isDefined');
  const known = typeof type === 'string' && Object.hasOwn(RULES, type) ? RULES[type] : undefined;
  if (known !== undefined) return known;
  throw violation([...loc, 'type'], 'isIn', Object.keys(RULES));
}

function asRule(dto: unknown): Rule {
  if (dto instanceof MetadataExtractionRule) {
    const { type, stage, schema } = dto;
    return { type, stage, ...schema };
  }
  const { type, stage, prompt } = dto as NaturalLanguageRule;
  return { type, stage, prompt };
}

/** Rules that a language model applies during ingestion. */
export function RulesField({ nullable = false } = {}): PropertyDecorator {
  return Field(
    {
      nullable,
      description:
        'Rules that the configured model applies in this order. metadata_extraction adds extracted metadata (explicit metadata wins); natural_language rewrites the content.',
      parse: eachOf(rule),
      example: [
        { type: 'metadata_extraction', schema: { author: { type: 'string', description: 'Who wrote it' } } },
      ],
    },
    { type: 'array', items: { anyOf: Object.values(RULES).map(schemaOf) } },
    IsArray(wording('isArray')),
  );
}
