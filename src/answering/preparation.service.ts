import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { type Settings, SETTINGS } from '../config/settings.js';
import { RateLimit } from '../http/rate-limit.js';
import { Invalid } from '../errors/index.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import {
  addUsage,
  type ChatMessage,
  type LanguageModel,
  messageText,
  NO_USAGE,
  type Usage,
} from '../models/llm/language-model.js';
import { LanguageModels } from '../models/llm/language-models.js';
import { NoLanguageModel } from '../models/llm/no-language-model.js';
import { timed } from '../request/request-context.js';
import { RetrievalService } from '../retrieval/retrieval.service.js';
import type { RetrievalPlan, RetrievedChunk } from '../retrieval/retrieval.types.js';
import type { CitationForm } from './citations/citations.js';
import { capOf, citationsOf, draftOf, prompted, type Draft } from './draft.js';
import { EntityService, NO_ENTITIES, type RecognisedEntities } from './entities/entity.service.js';
import type { Prompted } from './model-answers.js';
import { BestPassages, type Quotations } from './passages/best-passages.js';
import { standsAlone } from './passages/follow-up.js';
import { type FittedPassages, fitPassages, withoutNearDuplicates } from './prompt/context-budget.js';
import { standaloneQuestion } from './prompt/conversation.js';
import type { PromptPassage } from './prompt/prompt.js';
import { requirePurpose } from './purpose.js';
import type { Evidence, Search, Turn } from './turn.js';

/** An answer without a language model. */
export interface Quoted {
  readonly quotations: Quotations;
  /** The question of the caller, without words of earlier questions. */
  readonly asked: string;
  readonly citations: CitationForm;
}

/** A turn with everything that its answer needs. */
export interface Prepared {
  /** A model answers the prompt, or the quotations are the answer. */
  readonly by: ({ readonly kind: 'model' } & Prompted) | ({ readonly kind: 'quotations' } & Quoted);
  readonly evidence: Evidence;
  /** Notes on failed steps. */
  readonly notes: readonly string[];
  /** Tokens used so far. */
  readonly usage: Usage;
  /** The searched documents; null: nothing was searched. */
  readonly selection: DocumentSelection | null;
}

const NOTHING_SEARCHED: Omit<Evidence, 'model' | 'provider'> = {
  searched: '',
  found: [],
  passages: [],
  dropped: 0,
  plan: null,
  entities: null,
};

/** The passages for a searched text, as many as fit into the prompt. */
interface Found extends FittedPassages {
  readonly text: string | null;
  readonly chunks: readonly RetrievedChunk[];
  readonly plan: RetrievalPlan;
  /** The answer without a language model; null: a model answers. */
  readonly quotations: Quotations | null;
}

/**
 * Prepares the answer to a turn: chooses the model, takes as much of the conversation as fits, makes the question
 * understandable without the conversation, recognises entities, retrieves passages, and builds the prompt.
 */
@Injectable()
export class PreparationService {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly models: LanguageModels,
    private readonly limit: RateLimit,
    private readonly entities: EntityService,
    private readonly retrieval: RetrievalService,
    private readonly bestPassages: BestPassages,
  ) {}

  /** @param isCounted whether an earlier attempt to answer has counted the question */
  async prepare(scope: Scope, turn: Turn, isCounted: boolean): Promise<Prepared> {
    requirePurpose(scope, turn);
    const draft = draftOf(await this.models.for(scope, turn.llmConfig, turn.maxTokens), turn);
    if (!isCounted) await this.limit.countQuestion(scope); // a question that is refused does not count
    return turn.search === null ? this.unsearched(draft) : this.searched(scope, draft, turn.search);
  }

  /** Prepares an answer from the conversation alone. @throws Invalid without a language model. */
  private async unsearched(draft: Draft): Promise<Prepared> {
    const { turn, model, maxTokens, parts, notes } = draft;
    if (model instanceof NoLanguageModel) throw needsSearch();
    await fitPassages(model, parts, maxTokens, [], capOf(turn));
    return {
      by: { kind: 'model', ...prompted(draft, [], []) },
      evidence: { ...NOTHING_SEARCHED, model: model.name, provider: model.provider },
      notes,
      usage: NO_USAGE,
      selection: null,
    };
  }

  private async searched(scope: Scope, draft: Draft, search: Search): Promise<Prepared> {
    const { turn, model, parts } = draft;
    const asked = parts.question === null ? null : messageText({ content: parts.question });
    const standalone = await this.standalone(draft, asked);
    const recognised = await this.recognised(draft, standalone.text);
    const find = (text: string | null, previous = '') =>
      this.find(scope, draft, { ...search, query: text, lexicalExpansion: recognised.expansion }, previous);
    const found = await this.better(draft, asked, standalone.text, find);
    const { passages, images } = await this.withImages(found.passages);
    const { filter, folders, folderDepth, endUserId } = search;
    return {
      by:
        found.quotations === null
          ? { kind: 'model', ...prompted(draft, passages, images) }
          : {
              kind: 'quotations',
              quotations: found.quotations,
              asked: asked ?? '',
              citations: citationsOf(turn),
            },
      evidence: {
        model: model.name,
        provider: model.provider,
        searched: found.text ?? '',
        found: found.chunks,
        passages: passages.map(({ chunk }) => chunk),
        dropped: found.dropped + found.passages.length - passages.length,
        plan: found.plan,
        entities: recognised.entities,
      },
      notes: [...draft.notes, ...recognised.notes, ...noteOfDropped(model, found)],
      usage: addUsage(standalone.usage, recognised.usage),
      selection: { filter, folders, folderDepth, endUserId },
    };
  }

  /** The question in a form that is understood without the conversation; null: an image is the question. */
  private async standalone(
    { model, parts: { history } }: Draft,
    asked: string | null,
  ): Promise<{ readonly text: string | null; readonly usage: Usage }> {
    if (asked === null || history.length === 0) return { text: asked, usage: NO_USAGE };
    return timed('llm', () => standaloneQuestion(model, asked, history));
  }

  /** Recognises the entities of a question, if the request or the configuration asks for them. */
  private async recognised(
    { model, turn: { prompts } }: Draft,
    question: string | null,
  ): Promise<RecognisedEntities> {
    const { extraction, resolution } = prompts;
    const isAsked = extraction !== null || resolution !== null || this.settings.QUERY_ENTITIES;
    if (question === null || !isAsked) return NO_ENTITIES;
    return timed('llm', () => this.entities.recognise(model, prompts, question));
  }

  /**
   * Searches for a text. If there is no model, and the text has words of earlier questions, also searches for the
   * question alone, and uses the better result. The question alone may find the previous answer again.
   */
  private async better(
    { model, parts }: Draft,
    asked: string | null,
    text: string | null,
    find: (text: string | null, previous?: string) => Promise<Found>,
  ): Promise<Found> {
    if (!(model instanceof NoLanguageModel) || asked === null || text === asked) return find(text);
    const alone = await find(asked);
    const joined = await find(text, lastAnswer(parts.history));
    const isAlone =
      alone.quotations !== null &&
      joined.quotations !== null &&
      standsAlone(asked, alone.quotations, joined.quotations);
    return isAlone ? alone : joined;
  }

  /**
   * Retrieves passages, and pages as text. Page images are loaded later, only for passages that fit into the prompt.
   * Without a language model, also quotes the passages.
   *
   * @param previous the answer whose quotations are avoided; empty: none
   */
  private async find(
    scope: Scope,
    { turn, model, maxTokens, parts }: Draft,
    search: Search & { readonly query: string | null; readonly lexicalExpansion: readonly string[] },
    previous: string,
  ): Promise<Found> {
    const { chunks, plan } = await this.retrieval.retrieve(scope, { ...search, outputFormat: 'text' });
    const distinct = await withoutNearDuplicates(chunks, { pagesAsText: !model.vision });
    const fitting = await fitPassages(model, parts, maxTokens, distinct, capOf(turn));
    const text = search.query;
    const quotations =
      model instanceof NoLanguageModel
        ? await timed('llm', () => this.bestPassages.quote(text ?? '', fitting.passages, maxTokens, previous))
        : null;
    return { ...fitting, text, chunks, plan, quotations };
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

/** The prompt of a turn without passages says that none were found. */
function noteOfDropped({ contextWindow }: LanguageModel, { passages, dropped }: Found): string[] {
  if (passages.length > 0 || dropped === 0) return [];
  return [`None of the ${dropped} passages found fits into the context window of ${contextWindow} tokens`];
}

function needsSearch(): Invalid {
  return Invalid.at(
    ['body', 'search'],
    'Value error, without a language model (LLM_MODEL) a file_search tool is required: the answer quotes its passages',
  );
}

function lastAnswer(history: readonly ChatMessage[]): string {
  const answer = history.findLast(({ role }) => role === 'assistant');
  return answer === undefined ? '' : messageText(answer);
}
