import { Invalid, type Location } from '../errors/index.js';
import { typeMetadata } from '../filters/metadata-types.js';
import { isDictionary, isJsonObject, isList } from '../http/input/check.js';
import { Field, type Parse, type Type } from '../http/input/field.js';
import { ChoiceField, FlagField, JsonObjectField, TextField, TextMapField } from '../http/input/fields.js';
import { Examples } from '../http/input/examples.js';
import { eachOf, nested } from '../http/input/parse.js';
import { Whole } from '../http/input/whole.js';
import { UPDATE_STRATEGIES, type UpdateStrategy } from '../ingestion/job.js';
import type { TextUpdate } from './update-text.service.js';

const STAGES = ['post_parsing', 'post_chunking'] as const;
type Stage = (typeof STAGES)[number];

const STAGE = {
  description: 'post_parsing: on the whole content. post_chunking: on each chunk.',
  example: 'post_parsing',
  values: STAGES,
};

export class MetadataExtractionRule {
  @ChoiceField({ description: 'The kind of rule.', values: ['metadata_extraction'], required: true })
  type: 'metadata_extraction';

  @JsonObjectField({
    description: 'JSON Schema, or `{field: {type, description}}`.',
    example: { author: { type: 'string', description: 'Who wrote it' } },
    required: true,
  })
  schema: Readonly<Record<string, unknown>>;

  @ChoiceField(STAGE)
  stage: Stage = 'post_parsing';
}

export class NaturalLanguageRule {
  @ChoiceField({ description: 'The kind of rule.', values: ['natural_language'], required: true })
  type: 'natural_language';

  @TextField({
    description: 'How the content is rewritten before it is stored.',
    example: 'Remove personal names.',
    required: true,
    notBlank: true,
  })
  prompt: string;

  @ChoiceField(STAGE)
  stage: Stage = 'post_parsing';
}

export type Rule = MetadataExtractionRule | NaturalLanguageRule;

const RULES: Readonly<Record<string, Type>> = {
  metadata_extraction: MetadataExtractionRule,
  natural_language: NaturalLanguageRule,
};

/** A rule is read by the class of its type. */
const rule: Parse = (value, loc, settings) => {
  if (!isJsonObject(value)) throw Invalid.at(loc, isDictionary.msg, isDictionary.type);
  return nested(() => ruleClass(value, loc))(value, loc, settings);
};

function ruleClass({ type }: Record<string, unknown>, loc: Location): Type {
  if (type === undefined) throw Invalid.at([...loc, 'type'], 'Field required', 'missing');
  const known = typeof type === 'string' && Object.hasOwn(RULES, type) ? RULES[type] : undefined;
  if (known !== undefined) return known;
  throw Invalid.at([...loc, 'type'], "Input should be 'metadata_extraction' or 'natural_language'", 'enum');
}

/** Query string of the update. */
export class UpdateTextQuery {
  @ChoiceField({
    description: 'add: append to the text after a blank line. replace: make it the whole text.',
    values: UPDATE_STRATEGIES,
    example: 'add',
    openapi: { default: 'add' },
  })
  update_strategy: UpdateStrategy = 'add';
}

/** Body of POST /documents/{document_id}/update_text. */
@Whole<UpdateTextDto>({
  members: ['metadata', 'metadata_types'],
  check: ({ metadata, metadata_types }, loc) => {
    typeMetadata({
      metadata,
      declared: metadata_types,
      // Whether a reserved key may come back depends on the document, so the service looks at that.
      reserved: metadata,
      loc: [...loc, 'metadata'],
      typesLoc: [...loc, 'metadata_types'],
    });
  },
})
@Examples({
  'More text': { content: 'The warranty is three years since 2026.', metadata: { reviewed: true } },
  'A new name and typed metadata': {
    content: 'The warranty is three years since 2026.',
    filename: 'warranty.txt',
    metadata: { valid_from: '2026-01-01' },
    metadata_types: { valid_from: 'date' },
  },
})
export class UpdateTextDto {
  @TextField({
    description: 'The text.',
    example: 'The warranty is three years since 2026.',
    required: true,
    notBlank: true,
  })
  content: string;

  @TextField({
    description: 'A new name. null keeps the name.',
    example: 'warranty.txt',
    nullable: true,
  })
  filename: string | null = null;

  @JsonObjectField({
    description: 'Merged over the metadata of the document, key by key. A key set to null is stored as null.',
    example: { reviewed: true },
  })
  metadata: Readonly<Record<string, unknown>> = {};

  @TextMapField({
    description:
      'Types of metadata keys: string, number, decimal, boolean, datetime, date, array, object, null.',
    example: { reviewed: 'boolean' },
    nullable: true,
  })
  metadata_types: Readonly<Record<string, string>> | null = null;

  @Field({
    description:
      'What a model does with the content: metadata_extraction merges metadata that it finds, natural_language rewrites the content.',
    checks: [isList],
    parse: eachOf(rule),
    example: [],
    openapi: { type: 'array', items: { type: 'object', additionalProperties: true } },
  })
  rules: Rule[] = [];

  @FlagField({
    description: 'Whether pages are embedded as images too. null: as the document was ingested.',
    example: null,
    nullable: true,
  })
  use_colpali: boolean | null = null;
}

/** The update as the service takes it. */
export function toTextUpdate(dto: UpdateTextDto, { update_strategy }: UpdateTextQuery): TextUpdate {
  return {
    strategy: update_strategy,
    content: dto.content,
    filename: dto.filename,
    metadata: dto.metadata,
    metadataTypes: dto.metadata_types,
    useColpali: dto.use_colpali,
  };
}
