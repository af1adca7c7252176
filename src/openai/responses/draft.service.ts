import { Injectable } from '@nestjs/common';
import { v7 } from 'uuid';
import type { Search, Turn } from '../../answering/turn.js';
import type { Scope } from '../../auth/scope.js';
import { Invalid, type PlaceOf } from '../../errors/index.js';
import { type ChatMessage, messageText } from '../../models/llm/language-model.js';
import { ModelListService } from '../../models/list/model-list.service.js';
import type { LlmConfig } from '../../models/llm/model-settings.js';
import type { JsonSchema } from '../../models/llm/structured/json-schema.js';
import { toLlmConfig } from '../../query/llm-config.dto.js';
import { acceptedSchema } from '../../query/query.dto.js';
import { schemaOfArguments } from '../chat-completions/to-query-request.js';
import { VectorStoreSearchService } from '../search/vector-store-search.service.js';
import { identified, type Item, modelMessagesOf } from './items.js';
import { MemoryService } from './memory.service.js';
import type { CreateResponseDto } from './response.dto.js';
import type { ResponseOutline } from './response-object.js';
import { planTools, type ToolPlan } from './tools.js';

/** A response before its answer. */
export interface Draft extends ResponseOutline {
  readonly input: readonly Item[];
  readonly turn: Turn;
  /** Maps a location in a request of POST /query to the location in this request. */
  readonly placeOf: PlaceOf;
}

const INPUT = ['body', 'input'];

/** Makes a turn of a request: loads the items before it, and selects the vector stores of its `file_search`. */
@Injectable()
export class DraftService {
  constructor(
    private readonly offered: ModelListService,
    private readonly memory: MemoryService,
    private readonly stores: VectorStoreSearchService,
  ) {}

  async prepare(scope: Scope, dto: CreateResponseDto): Promise<Draft> {
    const llmConfig = await this.configOf(dto);
    const plan = planTools(dto.givenTools, dto.tool_choice?.choice ?? null, dto.parallel_tool_calls);
    const stamp = { id: v7(), createdAt: Math.floor(Date.now() / 1_000) };
    const { earlier, input } = await this.itemsOf(scope, dto, stamp.id);
    const { instructions, messages } = modelMessagesOf(withoutRepetition(earlier, input));
    if (messages.length === 0) throw Invalid.at(INPUT, 'Value error, a user message is required');
    const spoken = byQuestion(messages);
    const given = [...(dto.instructions === null ? [] : [dto.instructions]), ...instructions];
    const turn: Turn = {
      ...spoken,
      search: await this.searchOf(scope, plan, spoken),
      citations: 'positions',
      llmConfig,
      prompts: {
        instructions: given.length === 0 ? null : given.join('\n\n'),
        template: null,
        extraction: null,
        resolution: null,
      },
      maxTokens: dto.max_output_tokens,
      temperature: dto.temperature,
      schema: plan.called === null ? shapeOf(dto) : argumentsOf(plan.called),
      tools: plan.use,
      calledAs: plan.called?.tool.name ?? null,
      quotesOnFailure: false,
    };
    return { stamp, dto, input, turn, placeOf: placesIn(dto, plan) };
  }

  private async itemsOf(
    scope: Scope,
    dto: CreateResponseDto,
    responseId: string,
  ): Promise<{ readonly earlier: readonly Item[]; readonly input: readonly Item[] }> {
    const earlier = await this.memory.before(scope, dto);
    const request = { endUserId: dto.end_user_id, place: INPUT, earlier };
    const known = await this.memory.referenced(scope, dto.input, request);
    return { earlier, input: identified(dto.input, known, { owner: responseId, place: INPUT }) };
  }

  private async configOf(dto: CreateResponseDto): Promise<LlmConfig | null> {
    const model = await this.offered.otherThanConfigured(dto.model);
    const given = dto.llm_config === null ? null : toLlmConfig(dto.llm_config);
    const named = model === null ? {} : { model };
    const topP = dto.top_p === null ? {} : { top_p: dto.top_p };
    const config = { ...named, ...given, sampling: { ...given?.sampling, ...topP } };
    return given === null && dto.top_p === null && !('model' in named) ? null : config;
  }

  /** @throws Invalid for a file search without a text to search for; NotFound for an unknown store. */
  private async searchOf(
    scope: Scope,
    { fileSearch }: ToolPlan,
    { question }: Spoken,
  ): Promise<Search | null> {
    if (fileSearch === null) return null;
    if (question === null || messageText({ content: question }).trim() === '') {
      throw Invalid.at(INPUT, 'Value error, file_search needs a user message with text');
    }
    return this.stores.searchOf(scope, [...new Set(fileSearch.vector_store_ids)], fileSearch);
  }
}

/**
 * Appends the items of a request to the earlier items. Omits referenced items that are already among the earlier items.
 */
function withoutRepetition(earlier: readonly Item[], input: readonly Item[]): Item[] {
  const ids = new Set(earlier.map(({ id }) => id));
  return [...earlier, ...input.filter(({ id }) => !ids.has(id))];
}

type Spoken = Pick<Turn, 'question' | 'history' | 'sinceQuestion'>;

/** Divides a conversation at the last message of the user, which is the question. */
function byQuestion(messages: readonly ChatMessage[]): Spoken {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  return {
    question: messages[at]?.content ?? null,
    history: messages.slice(0, Math.max(0, at)),
    sinceQuestion: messages.slice(at + 1),
  };
}

function shapeOf({ text }: CreateResponseDto): JsonSchema | null {
  const format = text?.format ?? null;
  if (format === null || format.type === 'text') return null;
  return format.type === 'json_object' ? { type: 'object' } : format.schema;
}

/** Returns the schema for the arguments of a function that must be called. @throws Invalid at its `parameters`. */
function argumentsOf({ tool, index }: NonNullable<ToolPlan['called']>): JsonSchema {
  return acceptedSchema(schemaOfArguments(tool), ['body', 'tools', index, 'parameters']);
}

/** Names in this protocol, by the names of POST /query. */
const NAMES: Readonly<Record<string, string>> = {
  query: 'input',
  messages: 'input',
  prompt_overrides: 'instructions',
  max_tokens: 'max_output_tokens',
  search: 'tools',
};

function placesIn(
  { text, llm_config: config, instructions }: CreateResponseDto,
  { called }: ToolPlan,
): PlaceOf {
  const format = ['text', 'format', ...(text?.format?.type === 'json_schema' ? ['schema'] : [])];
  const schema = called === null ? format : ['tools', called.index, 'parameters'];
  return ([body = 'body', name, ...inner]) => {
    if (name === undefined) return [body];
    if (name === 'llm_config' && inner[0] === 'model' && config?.model === undefined) return [body, 'model'];
    if (name === 'schema') return [body, ...schema, ...inner];
    if (name === 'prompt_overrides' && instructions === null) return [body, 'input'];
    const own = NAMES[name];
    return own === undefined ? [body, name, ...inner] : [body, own];
  };
}
