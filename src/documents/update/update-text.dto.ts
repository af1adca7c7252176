import type { Settings } from '../../config/settings.js';
import { typeMetadata } from '../../metadata/typed-metadata.js';
import { CrossField } from '../../http/input/input.pipe.js';
import { ChoiceField, FlagField, JsonObjectField, TextField, TextMapField } from '../../http/input/fields.js';
import { Examples } from '../../http/input/examples.js';
import { UPDATE_STRATEGIES, type UpdateStrategy } from '../../ingestion/job.js';
import { withDeclaredTypes, type Rule } from '../../ingestion/rules/rule.js';
import { NameField } from '../document-name.js';
import { RulesField } from '../ingest/rule.dto.js';
import type { TextUpdate } from './update-text.service.js';

export class UpdateStrategyQuery {
  @ChoiceField({
    description:
      'add: append to the text after a blank line. replace: replace the whole text. Default: UPDATE_STRATEGY.',
    values: UPDATE_STRATEGIES,
    example: 'add',
    openapi: { default: 'add' },
  })
  update_strategy?: UpdateStrategy;
}

@CrossField<UpdateTextDto>(['metadata', 'metadata_types'], ({ metadata, metadata_types }) => {
  // Reserved keys are allowed here. The service checks that their values equal those of the document.
  const places = { loc: ['metadata'], typesLoc: ['metadata_types'] };
  typeMetadata({ metadata, declared: metadata_types, reserved: metadata, ...places });
})
@Examples({
  'More text': { content: 'The warranty is three years since 2026.', metadata: { reviewed: true } },
  'A new name and typed metadata': {
    content: 'The warranty is three years since 2026.',
    filename: 'warranty.txt',
    metadata: { valid_from: '2026-01-01' },
    metadata_types: { valid_from: 'date' },
  },
  'A rule': {
    content: 'Warranty: three years. Valid from: 2026-01-01.',
    rules: [
      {
        type: 'metadata_extraction',
        schema: { valid_from: { type: 'date', description: 'First day of the warranty' } },
      },
    ],
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

  @NameField({
    description: 'New file name. null keeps the current one.',
    example: 'warranty.txt',
    nullable: true,
  })
  filename: string | null = null;

  @JsonObjectField({
    description:
      'Merged into the metadata of the document by top-level key. A key set to null is stored as null.',
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

  @RulesField()
  rules: Rule[] = [];

  @FlagField({
    description: 'Whether to embed page images besides the text. null keeps the setting of the document.',
    example: null,
    nullable: true,
  })
  use_colpali: boolean | null = null;
}

export function toTextUpdate(
  dto: UpdateTextDto,
  { update_strategy }: UpdateStrategyQuery,
  { UPDATE_STRATEGY }: Pick<Settings, 'UPDATE_STRATEGY'>,
): TextUpdate {
  return {
    strategy: update_strategy ?? UPDATE_STRATEGY,
    content: dto.content,
    filename: dto.filename,
    metadata: dto.metadata,
    metadataTypes: dto.metadata_types,
    useColpali: dto.use_colpali,
    rules: withDeclaredTypes(dto.rules, dto.metadata_types),
  };
}
