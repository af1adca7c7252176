import { Invalid } from '../errors/index.js';
import { Closed, type Parse } from '../http/input/input.pipe.js';
import {
  JsonObjectField,
  NestedField,
  NestedListField,
  TextField,
  TextListField,
} from '../http/input/fields.js';
import type { EntityPrompt } from '../answering/entities/entity.js';
import { countPlaceholder } from '../answering/prompt/prompt.js';
import type { Prompts } from '../answering/turn.js';

/**
 * Maximum number of occurrences of a placeholder. Each occurrence enlarges the prompt, and the limit on the size of the
 * body does not limit the prompt.
 */
const MAX_REPETITIONS = 8;

/** Maximum number of examples, so that they do not fill the prompt. */
const MAX_EXAMPLES = 200;
const MAX_VARIANTS = 50;

/** Requires that a template contains all of these placeholders. */
function requiringPlaceholders(...names: readonly string[]): Parse {
  return (value, loc) => {
    const counts = names.map((name) => [`{${name}}`, countPlaceholder(String(value), name)] as const);
    const missing = counts.filter(([, count]) => count === 0).map(([placeholder]) => placeholder);
    if (missing.length > 0) throw Invalid.at(loc, `Value error, the template lacks ${missing.join(' and ')}`);
    const repeated = counts.find(([, count]) => count > MAX_REPETITIONS)?.[0];
    if (repeated === undefined) return value;
    throw Invalid.at(loc, `Value error, the template has ${repeated} more than ${MAX_REPETITIONS} times`);
  };
}

@Closed()
export class EntityExampleDto {
  @TextField({ description: 'Entity name.', example: 'Ada Lovelace', required: true })
  label: string;

  @TextField({ description: 'Entity type.', example: 'PERSON', required: true })
  type: string;

  @JsonObjectField({ description: 'Further properties.', example: { born: 1815 }, nullable: true })
  properties: Readonly<Record<string, unknown>> | null = null;
}

@Closed()
export class EntityExtractionOverrideDto {
  @TextField({
    description: 'Replaces the prompt; must contain `{content}` and `{examples}`.',
    example: 'Find the entities in: {content}\nExamples: {examples}',
    nullable: true,
    parse: requiringPlaceholders('content', 'examples'),
  })
  prompt_template: string | null = null;

  @NestedListField({
    description: 'Replaces the examples of the prompt.',
    nullable: true,
    maxSize: MAX_EXAMPLES,
    type: () => EntityExampleDto,
  })
  examples: EntityExampleDto[] | null = null;
}

@Closed()
export class ResolutionExampleDto {
  @TextField({ description: 'Canonical name.', example: 'Ada Lovelace', required: true })
  canonical: string;

  @TextListField({
    description: 'Other names of the entity.',
    example: ['A. Lovelace', 'Countess of Lovelace'],
    required: true,
    maxSize: MAX_VARIANTS,
  })
  variants: string[];
}

@Closed()
export class EntityResolutionOverrideDto {
  @TextField({
    description: 'Replaces the prompt; must contain `{entities_str}` and `{examples_json}`.',
    example: 'Group the names of the same entity: {entities_str}\nExamples: {examples_json}',
    nullable: true,
    parse: requiringPlaceholders('entities_str', 'examples_json'),
  })
  prompt_template: string | null = null;

  @NestedListField({
    description: 'Replaces the examples of the prompt.',
    nullable: true,
    maxSize: MAX_EXAMPLES,
    type: () => ResolutionExampleDto,
  })
  examples: ResolutionExampleDto[] | null = null;
}

@Closed()
export class QueryOverrideDto {
  @TextField({
    description: 'Replaces the prompt; must contain `{question}` and `{context}`.',
    example: 'Answer {question} in one sentence.\n\n{context}',
    nullable: true,
    parse: requiringPlaceholders('question', 'context'),
  })
  prompt_template: string | null = null;

  @TextField({
    description: 'Replaces the default instructions.',
    example: 'You answer in the tone of a librarian.',
    nullable: true,
  })
  system_prompt: string | null = null;
}

/** `prompt_overrides`. Unknown members are an error at every level. */
@Closed()
export class PromptOverridesDto {
  @NestedField({
    description: 'Prompt of entity extraction from the question.',
    nullable: true,
    type: () => EntityExtractionOverrideDto,
  })
  entity_extraction: EntityExtractionOverrideDto | null = null;

  @NestedField({
    description: 'Prompt of entity resolution.',
    nullable: true,
    type: () => EntityResolutionOverrideDto,
  })
  entity_resolution: EntityResolutionOverrideDto | null = null;

  @NestedField({ description: 'Prompt of the answer.', nullable: true, type: () => QueryOverrideDto })
  query: QueryOverrideDto | null = null;
}

export function toPrompts(dto: PromptOverridesDto | null): Prompts {
  return {
    instructions: dto?.query?.system_prompt ?? null,
    template: dto?.query?.prompt_template ?? null,
    extraction: entityPromptOf(dto?.entity_extraction ?? null),
    resolution: entityPromptOf(dto?.entity_resolution ?? null),
  };
}

function entityPromptOf(
  dto: EntityExtractionOverrideDto | EntityResolutionOverrideDto | null,
): EntityPrompt | null {
  return dto === null ? null : { template: dto.prompt_template, examples: dto.examples };
}
