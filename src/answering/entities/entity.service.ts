import { Injectable } from '@nestjs/common';
import { addUsage, type LanguageModel, NO_USAGE, type Usage } from '../../models/llm/language-model.js';
import { NoLanguageModel } from '../../models/llm/no-language-model.js';
import { compileSchema } from '../../models/llm/structured/compile-schema.js';
import { StructuredOutput, WrongShape } from '../../models/llm/structured/structured-output.js';
import { roomBeside, tooLong } from '../prompt/context-budget.js';
import type { Prompts } from '../turn.js';
import {
  entityLine,
  extractionRequest,
  otherNames,
  resolutionRequest,
  resolved,
  type Entity,
  type EntityGroup,
  type EntityRequest,
  type ExtractedEntity,
} from './entity.js';

export interface RecognisedEntities {
  readonly entities: readonly Entity[] | null;
  /** Notes on invalid model output. */
  readonly notes: readonly string[];
  /** Names of the entities that the question does not contain, for the lexical search. */
  readonly expansion: readonly string[];
  readonly usage: Usage;
}

export const NO_ENTITIES: RecognisedEntities = { entities: null, notes: [], expansion: [], usage: NO_USAGE };
const NO_MODEL: RecognisedEntities = {
  ...NO_ENTITIES,
  entities: [],
  notes: ['No entities: extraction needs a language model (LLM_MODEL)'],
};

/** Minimum number of tokens for the list of entities in a prompt with the caller's template. */
const MIN_LIST_TOKENS = 256;

type Findings = Pick<RecognisedEntities, 'notes' | 'usage'> & { readonly entities: readonly Entity[] };

/**
 * Extracts the entities of a question before the retrieval. Invalid output of the model does not fail the query; the
 * entities or their variants are then missing.
 */
@Injectable()
export class EntityService {
  constructor(private readonly structured: StructuredOutput) {}

  /** @throws Invalid, before any model call, if the caller's part of a prompt exceeds the context window. */
  async recognise(model: LanguageModel, prompts: Prompts, question: string): Promise<RecognisedEntities> {
    if (model instanceof NoLanguageModel) return NO_MODEL;
    const findings = await this.find(model, question, prompts);
    return { ...findings, expansion: otherNames(question, findings.entities) };
  }

  private async find(
    model: LanguageModel,
    question: string,
    { resolution, ...prompts }: Prompts,
  ): Promise<Findings> {
    const extraction = extractionRequest(question, prompts.extraction);
    if (roomOf(model, extraction) < 0) throw tooLong(model, extraction.written);
    const bare = resolutionRequest([], resolution);
    const listRoom = roomOf(model, bare);
    if (listRoom < MIN_LIST_TOKENS && bare.written.length > 0) throw tooLong(model, bare.written);

    const { value, reason, usage } = await this.ask(model, extraction);
    if (value === null) return { entities: [], notes: [`No entities: ${reason}`], usage };
    const extracted = extractedFrom(value);
    const listed = fitting(model, extracted, listRoom);
    if (listed.length === 0) return { entities: resolved(extracted, []), notes: [], usage };
    const grouped = await this.ask(model, resolutionRequest(listed, resolution));
    const { groups } = (grouped.value ?? { groups: [] }) as { groups: readonly EntityGroup[] };
    return {
      entities: resolved(extracted, groups),
      notes: grouped.value === null ? [`Entities without variants: ${grouped.reason}`] : [],
      usage: addUsage(usage, grouped.usage),
    };
  }

  private async ask(model: LanguageModel, { completion, schema }: EntityRequest): Promise<EntityAnswer> {
    try {
      const { value, usage } = await this.structured.complete(model, completion, compileSchema(schema));
      return { value: value as object, reason: '', usage };
    } catch (error) {
      if (!(error instanceof WrongShape)) throw error;
      return { value: null, reason: error.message, usage: error.usage };
    }
  }
}

/** A value that is valid against its schema, or null with a reason. */
interface EntityAnswer {
  readonly value: object | null;
  readonly reason: string;
  readonly usage: Usage;
}

function roomOf(model: LanguageModel, { completion }: EntityRequest): number {
  return roomBeside(model, completion.messages, { maxTokens: completion.maxTokens, shaped: true });
}

/** Returns the first entities, as many as fit into the token budget. */
function fitting(
  model: LanguageModel,
  entities: readonly ExtractedEntity[],
  room: number,
): ExtractedEntity[] {
  let left = room;
  const beyond = entities.findIndex((entity) => (left -= model.countTokens(`${entityLine(entity)}\n`)) < 0);
  return beyond === -1 ? [...entities] : entities.slice(0, beyond);
}

/**
 * Reads the entities from output that is valid against the extraction schema. Keeps only the first entity with each
 * label.
 */
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
