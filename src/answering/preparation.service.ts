import { Injectable } from '@nestjs/common';
import { actingEndUser } from '../access/principal.js';
import type { Scope } from '../auth/scope.js';
import { Invalid, type Location } from '../errors/index.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import {
  addUsage,
  type ChatMessage,
  type CompletionRequest,
  type LanguageModel,
  messageImages,
  messageText,
  NO_USAGE,
  type Usage,
} from '../models/llm/language-model.js';
import { LanguageModels } from '../models/llm/language-models.js';
import { splitReasoning } from '../models/llm/reasoning/reasoning-splitter.js';
import { NoLanguageModel, requireLanguageModel } from '../models/llm/no-language-model.js';
import type { JsonSchema } from '../models/llm/structured/json-schema.js';
import { timed } from '../request/request-context.js';
import { RetrievalService } from '../retrieval/retrieval.service.js';
import type { RetrievalPlan, Retrieved } from '../retrieval/retrieval.types.js';
import { ChatRepository } from '../chats/chat.repository.js';
import {
  historyWithin,
  MAX_TURNS,
  type StandaloneQuestion,
  standaloneQuestion,
} from './prompt/conversation.js';
import type { CitationForm } from './citations/citations.js';
import type { Entity } from './entities/entity.js';
import { EntityService, type RecognisedEntities } from './entities/entity.service.js';
import { BestPassages } from './passages/best-passages.js';
import { standsAlone } from './passages/follow-up.js';
import { assemblePrompt, type PromptParts, type PromptPassage } from './prompt/prompt.js';
import { conversationRoom, fitPassages, withoutNearDuplicates } from './prompt/context-budget.js';
import type { QueryRequest } from './query.types.js';

/** A prepared question: all inputs of the model call. */
export interface PreparedQuery {
  readonly model: LanguageModel;
  readonly completionRequest: CompletionRequest;
  readonly schema: JsonSchema | null;
  /**
   * Name of the function that the answer must call, with arguments that match `schema`; null: the answer is not a
   * function call.
   */
  readonly calledAs: string | null;
  /** The searched text; empty for an image. */
  readonly question: string;
  /** The question of the request, without words of earlier questions; empty for an image. */
  readonly asked: string;
  /** The previous answer, if the searched text differs from the question of the request; otherwise empty. */
  readonly previous: string;
  readonly citations: CitationForm;
  readonly passages: readonly PromptPassage[];
  readonly dropped: number;
  /** The search plan of the retrieval. */
  readonly plan: RetrievalPlan;
  readonly entities: readonly Entity[] | null;
  /** Notes on failed steps. */
  readonly notes: readonly string[];
  readonly usage: Usage;
  readonly scope: Scope;
  /** The searched documents. */
  readonly selection: DocumentSelection;
}

/**
 * Prepares the model call: chooses the model, loads the conversation, recognises entities, retrieves passages and
 * builds the prompt.
 */
@Injectable()
export class PreparationService {
  constructor(
    private readonly models: LanguageModels,
    private readonly chats: ChatRepository,
    private readonly entities: EntityService,
    private readonly retrieval: RetrievalService,
    private readonly bestPassages: BestPassages,
  ) {}

  /** @throws Forbidden if the end user of the request is not the end user of the key. */
  async prepare(scope: Scope, request: QueryRequest): Promise<PreparedQuery> {
    requireOwnChat(scope, request);
    actingEndUser(scope, request.retrieval.endUserId, request.placeOf(['body', 'end_user_id']));
    const model = await this.models.for(request.llmConfig);
    requireVision(model, request);
    requireLanguageModel(model, placesThatNeedOne(request));
    const maxTokens = request.maxTokens ?? model.maxTokens;
    const bare = promptParts(request);
    const turns = await this.turns(scope, request);
    const history =
      turns.length === 0 ? [] : historyWithin(model, turns, conversationRoom(model, bare, maxTokens));
    const standalone = await timed('llm', () => searchable(model, request, history));
    const recognised = await timed('llm', () =>
      this.entities.recognise(model, request, standalone?.text ?? null),
    );
    const { text, chunks, plan } = await this.search(scope, request, standalone?.text ?? null, {
      recognised,
      previous: model instanceof NoLanguageModel ? lastAnswer(history) : null,
    });
    const parts = { ...bare, history };
    const distinct = await withoutNearDuplicates(chunks, { pagesAsText: !model.vision });
    const fitting = await fitPassages(model, parts, maxTokens, distinct, capOf(request));
    const { passages, images } = await this.withImages(fitting.passages);
    const { filter, folders, folderDepth, endUserId } = request.retrieval;
    return {
      model,
      completionRequest: {
        messages: assemblePrompt(parts, passages, images),
        format: { kind: 'text' },
        maxTokens,
        temperature: request.temperature,
        ...(request.tools === null ? {} : { tools: request.tools }),
      },
      schema: request.schema,
      calledAs: request.calledAs,
      question: text ?? '',
      asked: request.retrieval.query ?? '',
      previous: text === request.retrieval.query ? '' : lastAnswer(history),
      citations: parts.citations ? 'labels' : 'none',
      passages,
      dropped: fitting.dropped + fitting.passages.length - passages.length,
      plan,
      entities: recognised.entities,
      notes: recognised.notes,
      usage: addUsage(standalone?.usage ?? NO_USAGE, recognised.usage),
      scope,
      selection: { filter, folders, folderDepth, endUserId },
    };
  }

  private async turns(scope: Scope, request: QueryRequest): Promise<readonly ChatMessage[]> {
    if (request.conversation.length > 0) return request.conversation.map(withoutReasoning);
    if (request.chatId === null) return [];
    const identity = { chatId: request.chatId, endUserId: request.retrieval.endUserId };
    if (request.replaceFrom !== null) await this.chats.requireTurn(scope, identity, request.replaceFrom);
    const turns = await this.chats.lastTurns(scope, identity, MAX_TURNS, request.replaceFrom);
    return turns.map(({ role, content }) => withoutReasoning({ role, content }));
  }

  /**
   * Searches for a text. If there is no model, and the text has words of earlier questions, also searches for the
   * question alone, and uses the better result.
   *
   * @param previous the previous answer, if there is no model; null: a model answers
   */
  private async search(
    scope: Scope,
    request: QueryRequest,
    text: string | null,
    { recognised, previous }: { readonly recognised: RecognisedEntities; readonly previous: string | null },
  ): Promise<Retrieved & { readonly text: string | null }> {
    const asked = request.retrieval.query;
    const found = async (query: string | null) => ({
      text: query,
      ...(await this.retrieve(scope, request, query, recognised)),
    });
    if (previous === null || text === null || asked === null || text === asked) return found(text);
    const alone = await found(asked);
    const joined = await found(text);
    const quoted = await this.bestPassages.quote(asked, numbered(alone), null);
    const quotedJoined = await this.bestPassages.quote(text, numbered(joined), null, previous);
    return standsAlone(asked, quoted, quotedJoined) ? alone : joined;
  }

  /**
   * Retrieves passages, and pages as text. Page images are loaded later, only for passages that fit into the prompt.
   */
  private async retrieve(
    scope: Scope,
    { retrieval }: QueryRequest,
    query: string | null,
    { expansion }: RecognisedEntities,
  ): Promise<Retrieved> {
    return this.retrieval.retrieve(scope, {
      ...retrieval,
      query,
      outputFormat: 'text',
      lexicalExpansion: expansion,
    });
  }

  /** Loads the images of passages that are attached as images. Omits a passage if its image is not available. */
  private async withImages(
    passages: readonly PromptPassage[],
  ): Promise<{ readonly passages: readonly PromptPassage[]; readonly images: readonly string[] }> {
    const attached = passages.filter(({ asImage }) => asImage);
    const uris = await this.retrieval.imagesForModel(attached.map(({ chunk }) => chunk));
    const missing = new Set(attached.filter((_, index) => uris[index] === null));
    return {
      passages: passages
        .filter((passage) => !missing.has(passage))
        .map((passage, index) => ({ ...passage, number: index + 1 })),
      images: uris.filter((uri) => uri !== null),
    };
  }
}

function numbered({ chunks }: Retrieved): PromptPassage[] {
  return chunks.map((chunk, index) => ({ number: index + 1, asImage: false, chunk }));
}

/**
 * Removes the reasoning from an earlier answer. Clients may send reasoning back, and models answer worse if they read
 * it.
 */
function withoutReasoning(turn: ChatMessage): ChatMessage {
  if (turn.role !== 'assistant' || typeof turn.content !== 'string') return turn;
  return { ...turn, content: splitReasoning(turn.content).text };
}

/**
 * Checks that a browser token may use a chat. The token must belong to an end user, because all browsers with tokens of
 * one key share the chats of the key. The token must not be bound to documents, because a chat may quote other
 * documents.
 */
function requireOwnChat({ token, endUserId }: Scope, { chatId, placeOf }: QueryRequest): void {
  if (token === undefined || chatId === null) return;
  if (endUserId !== null && token.folder === null && token.filter === null) return;
  throw Invalid.at(
    placeOf(['body', 'chat_id']),
    'Value error, a browser token can use chats only if it belongs to an end user and is not bound to a folder or filter',
  );
}

function requireVision(model: LanguageModel, { retrieval, images, conversation }: QueryRequest): void {
  if (model.vision) return;
  const isAskedByImage = retrieval.queryImage !== null;
  if (
    !isAskedByImage &&
    images.length === 0 &&
    conversation.every((turn) => messageImages(turn).length === 0)
  )
    return;
  const place = ['body', isAskedByImage ? 'query_image' : 'messages'];
  throw Invalid.at(place, `Value error, the model ${model.name} does not read images`);
}

function placesThatNeedOne({ schema, promptOverrides, tools, calledAs }: QueryRequest): Location[] {
  const steps = (['entity_extraction', 'entity_resolution'] as const).filter(
    (step) => (promptOverrides?.[step] ?? null) !== null,
  );
  return [
    ...(schema === null || calledAs !== null ? [] : [['body', 'schema']]),
    ...(tools?.choice === 'required' || calledAs !== null ? [['body', 'tool_choice']] : []),
    ...steps.map((step) => ['body', 'prompt_overrides', step]),
  ];
}

async function searchable(
  model: LanguageModel,
  { retrieval }: QueryRequest,
  history: readonly ChatMessage[],
): Promise<StandaloneQuestion | null> {
  return retrieval.query === null ? null : standaloneQuestion(model, retrieval.query, history);
}

function lastAnswer(history: readonly ChatMessage[]): string {
  const answer = history.findLast(({ role }) => role === 'assistant');
  return answer === undefined ? '' : messageText(answer);
}

function capOf({ maxTokens }: QueryRequest): Location {
  return maxTokens === null ? ['body', 'llm_config', 'max_tokens'] : ['body', 'max_tokens'];
}

function promptParts(request: QueryRequest): PromptParts {
  return {
    question: request.retrieval.query,
    questionImages: request.retrieval.queryImage === null ? request.images : [request.retrieval.queryImage],
    history: [],
    sinceQuestion: request.sinceQuestion,
    tools: request.tools,
    overrides: request.promptOverrides?.query ?? null,
    schema: request.schema,
    // No citations in JSON, because markers would become part of the values.
    citations: request.inlineCitations && request.schema === null,
  };
}
