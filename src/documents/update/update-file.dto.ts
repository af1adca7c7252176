import type { Settings } from '../../config/settings.js';
import { ChoiceField, FlagField, JsonObjectField, TextMapField } from '../../http/input/fields.js';
import { UPDATE_STRATEGIES, type UpdateStrategy } from '../../ingestion/job.js';
import { withDeclaredTypes, type Rule } from '../../ingestion/rules/rule.js';
import { RulesField } from '../rule.dto.js';

/** What comes with a new file of a document. */
export class UpdateFileFields {
  @ChoiceField({
    description:
      'add: append to the text after a blank line. replace: make it the whole text. Unset: as configured (UPDATE_STRATEGY).',
    values: UPDATE_STRATEGIES,
    openapi: { default: 'add' },
  })
  update_strategy?: UpdateStrategy;

  @JsonObjectField({
    nullable: true,
    description: 'Merged over the metadata of the document, key by key, when the new version is there.',
    example: { reviewed: true },
  })
  metadata: Record<string, unknown> | null = null;

  @TextMapField({
    nullable: true,
    description: 'Declared types by metadata key.',
    example: { reviewed: 'boolean' },
  })
  metadata_types: Record<string, string> | null = null;

  @RulesField({ nullable: true })
  rules: Rule[] | null = null;

  @FlagField({
    nullable: true,
    description: 'Whether pages are embedded as images too. Unset: as the document was ingested.',
    example: false,
  })
  use_colpali: boolean | null = null;
}

export interface FileUpdateOptions {
  readonly strategy: UpdateStrategy;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, unknown>> | null;
  /** null: as the document was ingested. */
  readonly useColpali: boolean | null;
  readonly rules: readonly Rule[];
}

export function fileUpdateOf(
  fields: UpdateFileFields,
  { UPDATE_STRATEGY }: Pick<Settings, 'UPDATE_STRATEGY'>,
): FileUpdateOptions {
  return {
    strategy: fields.update_strategy ?? UPDATE_STRATEGY,
    metadata: fields.metadata ?? {},
    metadataTypes: fields.metadata_types,
    useColpali: fields.use_colpali,
    rules: withDeclaredTypes(fields.rules ?? [], fields.metadata_types),
  };
}
