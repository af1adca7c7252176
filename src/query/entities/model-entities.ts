import { Injectable } from '@nestjs/common';
import { addUsage, type CompletionRequest, type Usage } from '../../llm/completion.js';
import type { LanguageModel } from '../../llm/language-model.js';
import { compileSchema } from '../../llm/structured/compile-schema.js';
import type { JsonSchema } from '../../llm/structured/json-schema.js';
import { schemaRules } from '../../llm/structured/schema-rules.js';
import { StructuredOutput } from '../../llm/structured/structured-output.js';
import { fillTemplate } from '../prompt/fill-template.js';
import type { PromptOverrides } from '../prompt/prompt-overrides.js';
import { resolved, type Entity, type EntityGroup, type ExtractedEntity } from './entity.js';
import {
  DEFAULT_EXTRACTION_EXAMPLES,
  DEFAULT_EXTRACTION_TEMPLATE,
  DEFAULT_RESOLUTION_EXAMPLES,
  DEFAULT_RESOLUTION_TEMPLATE,
  EXTRACTION_INSTRUCTIONS,
  EXTRACTION_SCHEMA,
  RESOLUTION_INSTRUCTIONS,
  RESOLUTION_SCHEMA,
} from './entity-prompts.js';

/** Entity extraction and resolution by a model that follows prompts. */
@Injectable()
export class ModelEntities {
  constructor(private readonly structured: StructuredOutput) {}

  async recognise(
    model: LanguageModel,
    question: string,
    { entityExtraction, entityResolution }: PromptOverrides,
    signal: AbortSignal,
  ): Promise<{ entities: readonly Entity[]; usage: Usage }> {
    const extraction = fillTemplate(entityExtraction?.template ?? DEFAULT_EXTRACTION_TEMPLATE, {
      content: question,
      examples: JSON.stringify(entityExtraction?.examples ?? DEFAULT_EXTRACTION_EXAMPLES, null, 2),
    });
    const found = await this.ask(model, EXTRACTION_INSTRUCTIONS, extraction, EXTRACTION_SCHEMA, signal);
    const extracted = extractedFrom(found.value);
    if (extracted.length === 0) return { entities: [], usage: found.usage };
    const resolution = fillTemplate(entityResolution?.template ?? DEFAULT_RESOLUTION_TEMPLATE, {
      entities_str: extracted.map(({ label, type }) => `- ${label} (${type})`).join('\n'),
      examples_json: JSON.stringify(entityResolution?.examples ?? DEFAULT_RESOLUTION_EXAMPLES, null, 2),
    });
    const grouped = await this.ask(model, RESOLUTION_INSTRUCTIONS, resolution, RESOLUTION_SCHEMA, signal);
    const { groups } = grouped.value as { groups: readonly EntityGroup[] };
    return { entities: resolved(extracted, groups), usage: addUsage(found.usage, grouped.usage) };
  }

  private ask(
    model: LanguageModel,
    instructions: string,
    prompt: string,
    schema: JsonSchema,
    signal: AbortSignal,
  ): Promise<{ value: unknown; usage: Usage }> {
    const request: CompletionRequest = {
      messages: [
        { role: 'system', content: instructions },
        { role: 'user', content: `${prompt}\n\n${schemaRules(schema)}` },
      ],
      grounding: { question: prompt, passages: [], citations: false },
      format: { kind: 'text' },
      maxTokens: null,
      temperature: null,
    };
    return this.structured.complete(model, request, compileSchema(schema), signal);
  }
}

/** Entities of an answer that is valid against the extraction schema, each label once. */
function extractedFrom(value: unknown): ExtractedEntity[] {
  const { entities } = value as {
    entities: readonly (Omit<ExtractedEntity, 'properties'> & Partial<ExtractedEntity>)[];
  };
  const byLabel = new Map<string, ExtractedEntity>();
  for (const { label, type, properties = {} } of entities) {
    if (label.trim() !== '' && !byLabel.has(label)) byLabel.set(label, { label, type, properties });
  }
  return [...byLabel.values()];
}
