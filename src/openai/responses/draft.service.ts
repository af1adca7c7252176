import { Injectable } from '@nestjs/common';
import { v7 } from 'uuid';
import type { Scope } from '../../auth/scope.js';
import { Invalid, type PlaceOf, relocated } from '../../errors/index.js';
import type { DocumentSelection } from '../../filters/document-predicate.js';
import {
  type ChatMessage,
  type LanguageModel,
  messageImages,
  messageText,
  NO_USAGE,
  type Usage,
} from '../../models/llm/language-model.js';
import { LanguageModels } from '../../models/llm/language-models.js';
import { countTools } from '../../models/llm/message-tokens.js';
import type { LlmConfig } from '../../models/llm/model-settings.js';
import { NoLanguageModel, requireLanguageModel } from '../../models/llm/no-language-model.js';
import { schemaRules } from '../../models/llm/prompt-parts.js';
import type { JsonSchema } from '../../models/llm/structured/json-schema.js';
import type { Prompted } from '../../answering/answering.service.js';
import { toLlmConfig } from '../../query/llm-config.dto.js';
import { ModelListService } from '../../models/list/model-list.service.js';
import { asWords, schemaOfArguments } from '../chat-completions/to-query-request.js';
import { acceptedSchema } from '../../query/query.dto.js';
import {
  fitPassages,
  requireRoom,
  roomBeside,
  withoutNearDuplicates,
} from '../../answering/prompt/context-budget.js';
import { assemblePrompt, type PromptParts } from '../../answering/prompt/prompt.js';
import { modelMessagesOf } from './model-messages.js';
import { type FileSearch, FileSearchService } from './file-search.service.js';
import { identified } from './item-ids.js';
import type { Item } from './items.js';
import { MemoryService } from './memory.service.js';
import type { CreateResponseDto } from './response.dto.js';
import type { ResponseStamp } from './response-object.js';
import { planTools, type ToolPlan } from './tools.js';

/** The part of a response that is known before the model call. */
export interface Draft {
  readonly stamp: ResponseStamp;
  readonly dto: CreateResponseDto;
  readonly input: readonly Item[];
  /** null: nothing was searched. */
  readonly fileSearch: FileSearch | null;
  readonly prompted: Prompted;
  readonly usage: Usage;
  /** Maps a location in a request of POST /query to the location in this request. */
  readonly placeOf: PlaceOf;
}

/** A model request under construction. */
interface Prompting {
  readonly scope: Scope;
  readonly dto: CreateResponseDto;
  readonly model: LanguageModel;
  readonly instructions: string | null;
  readonly messages: readonly ChatMessage[];
  readonly schema: JsonSchema | null;
  readonly plan: ToolPlan;
}

const CAP = ['body', 'max_output_tokens'];
const INPUT = ['body', 'input'];

/** Selects no document, for an answer without a file search. */
const NOTHING: DocumentSelection = { folders: [] };

/** Prepares the model call of a response: loads the conversation, runs the file search, and builds the prompt. */
@Injectable()
export class DraftService {
  constructor(
    private readonly offered: ModelListService,
    private readonly models: LanguageModels,
    private readonly memory: MemoryService,
    private readonly files: FileSearchService,
  ) {}

  async prepare(scope: Scope, dto: CreateResponseDto): Promise<Draft> {
    const model = await this.models.for(await this.configOf(dto));
    const plan = planTools(dto.givenTools, dto.tool_choice?.choice ?? null, dto.parallel_tool_calls);
    requireModelFor(model, dto, plan);
    const stamp = { id: v7(), createdAt: Math.floor(Date.now() / 1_000) };
    const { earlier, input } = await this.itemsOf(scope, dto, stamp.id);
    const { instructions, messages } = modelMessagesOf(withoutRepetition(earlier, input));
    if (messages.length === 0) throw Invalid.at(['body', 'input'], 'Value error, a user message is required');
    requireVision(model, messages);
    const given = [...(dto.instructions === null ? [] : [dto.instructions]), ...instructions];
    const prompting: Prompting = {
      scope,
      dto,
      model,
      instructions: given.length === 0 ? null : given.join('\n\n'),
      messages: plan.use === null ? messages.map(asWords) : messages,
      schema: plan.called === null ? shapeOf(dto) : argumentsOf(plan.called),
      plan,
    };
    const placeOf = placesIn(plan);
    const { prompted, fileSearch } = await this.promptOf(prompting).catch((error: unknown) => {
      throw relocated(error, placeOf);
    });
    const usage = fileSearch?.usage ?? NO_USAGE;
    return { stamp, dto, input, fileSearch, prompted, usage, placeOf };
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

  private async promptOf(
    prompting: Prompting,
  ): Promise<{ readonly prompted: Prompted; readonly fileSearch: FileSearch | null }> {
    const { scope, plan, messages, model } = prompting;
    if (plan.fileSearch === null) return { prompted: alone(prompting), fileSearch: null };
    const at = messages.findLastIndex(({ role }) => role === 'user');
    const question = messages[at];
    if (question === undefined || messageText(question).trim() === '') {
      throw Invalid.at(['body', 'input'], 'Value error, file_search needs a user message with text');
    }
    const history = messages.slice(0, at);
    const words = messageText(question);
    const fileSearch = await this.files.search(scope, plan.fileSearch, model, words, history);
    return { prompted: await withPassages(prompting, fileSearch, at), fileSearch };
  }
}

/**
 * Appends the items of a request to the earlier items. Omits referenced items that are already among the earlier items.
 */
function withoutRepetition(earlier: readonly Item[], input: readonly Item[]): Item[] {
  const ids = new Set(earlier.map(({ id }) => id));
  return [...earlier, ...input.filter(({ id }) => !ids.has(id))];
}

/** Builds the prompt without a file search: the conversation only. */
function alone(prompting: Prompting): Prompted {
  const { dto, model, instructions, schema, plan } = prompting;
  const messages = [
    ...(instructions === null ? [] : [{ role: 'system', content: instructions } as const]),
    ...withRules(prompting),
  ];
  const maxTokens = dto.max_output_tokens ?? model.maxTokens;
  const offered = countTools(plan.use ?? undefined, model, model.contextWindow);
  const room = roomBeside(model, messages, { maxTokens, shaped: schema !== null }) - offered;
  requireRoom(model, room, { maxTokens, capAt: CAP }, [
    { place: ['body', 'input'], length: JSON.stringify(prompting.messages).length },
    { place: ['body', 'instructions'], length: dto.instructions?.length ?? 0 },
  ]);
  return {
    ...promptedWith(prompting, messages),
    question: '',
    asked: '',
    citations: 'none',
    passages: [],
    selection: NOTHING,
  };
}

/** Appends the rules for an answer in JSON, if there is a schema, to the last user message. */
function withRules({ messages, schema }: Prompting): readonly ChatMessage[] {
  if (schema === null) return messages;
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const rules = schemaRules(schema);
  const asked = messages[at];
  if (asked === undefined) return [...messages, { role: 'user', content: rules }];
  const content =
    typeof asked.content === 'string'
      ? `${asked.content}\n\n${rules}`
      : [...asked.content, { type: 'text', text: rules } as const];
  return messages.with(at, { ...asked, content });
}

/** Builds the prompt with the passages of a file search. @param at position of the question in the messages */
async function withPassages(prompting: Prompting, found: FileSearch, at: number): Promise<Prompted> {
  const { dto, model, messages, schema, plan, instructions } = prompting;
  const question = messages[at];
  const citations = schema === null ? 'positions' : 'none';
  const parts: PromptParts = {
    question: question === undefined ? '' : messageText(question),
    questionImages: question === undefined ? [] : messageImages(question),
    history: messages.slice(0, at),
    sinceQuestion: messages.slice(at + 1),
    tools: plan.use,
    overrides: instructions === null ? null : { system_prompt: instructions, prompt_template: null },
    schema,
    citations: citations !== 'none',
  };
  const maxTokens = dto.max_output_tokens ?? model.maxTokens;
  const chunks = found.passages.map(({ chunk }) => chunk);
  const distinct = await withoutNearDuplicates(chunks, { pagesAsText: true });
  const { passages } = await fitPassages(model, parts, maxTokens, distinct, CAP);
  if (passages.length === 0 && distinct.length > 0) {
    throw Invalid.at(
      ['body', 'input'],
      'Value error, leaves no room for the passages of file_search in the context window',
    );
  }
  return {
    ...promptedWith(prompting, assemblePrompt(parts, passages)),
    question: found.query,
    asked: parts.question ?? '',
    citations,
    passages,
    selection: found.selection,
  };
}

function promptedWith(
  { scope, dto, model, schema, plan }: Prompting,
  messages: readonly ChatMessage[],
): Omit<Prompted, 'question' | 'asked' | 'citations' | 'passages' | 'selection'> {
  return {
    scope,
    model,
    completionRequest: {
      messages,
      format: { kind: 'text' },
      maxTokens: dto.max_output_tokens ?? model.maxTokens,
      temperature: dto.temperature,
      ...(plan.use === null ? {} : { tools: plan.use }),
    },
    schema,
    calledAs: plan.called?.tool.name ?? null,
    previous: '',
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

/**
 * Checks that a request works without a language model, if there is none.
 * @throws Invalid for each member that needs a language model, or if the request has no file search.
 */
function requireModelFor(model: LanguageModel, dto: CreateResponseDto, plan: ToolPlan): void {
  const mustCall = plan.called !== null || plan.use?.choice === 'required';
  requireLanguageModel(model, [
    ...(shapeOf(dto) === null ? [] : [['body', 'text', 'format']]),
    ...(mustCall ? [['body', 'tool_choice']] : []),
  ]);
  if (model instanceof NoLanguageModel && plan.fileSearch === null) {
    throw Invalid.at(
      ['body', 'tools'],
      'Value error, without a language model (LLM_MODEL) a file_search tool is required: the answer quotes its passages',
    );
  }
}

function requireVision(model: LanguageModel, messages: readonly ChatMessage[]): void {
  if (model.vision || messages.every((message) => messageImages(message).length === 0)) return;
  throw Invalid.at(['body', 'input'], `Value error, the model ${model.name} does not read images`);
}

function placesIn({ called }: ToolPlan): PlaceOf {
  return ([body = 'body', name, ...inner]) => {
    if (name === 'schema') {
      const place = called === null ? ['text', 'format', 'schema'] : ['tools', called.index, 'parameters'];
      return [body, ...place, ...inner];
    }
    if (name === 'query' || name === 'messages') return [body, 'input'];
    if (name === 'prompt_overrides') return [body, 'instructions'];
    return name === undefined ? [body] : [body, name, ...inner];
  };
}
