import { Inject, Injectable } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository } from '../chunks/chunk.repository.js';
import { ChunkSearch, type TextSearch } from '../chunks/chunk-search.js';
import { byScore } from '../chunks/hybrid-score.js';
import { PageImages } from '../pages/page-images.js';
import { PageRepository } from '../pages/page.repository.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { Invalid } from '../errors/index.js';
import type { DocumentRange, DocumentSelection } from '../filters/document-predicate.js';
import { all, fieldNamed, not } from '../filters/filter.js';
import { leavesOutStores } from '../filters/store-folders.js';
import { timed } from '../request/request-context.js';
import { Reranker } from '../models/reranking/reranker.js';
import type { BatchChunksRequest } from './retrieve.dto.js';
import type { Match } from '../pages/page-matches.js';
import { type Matches, PageRetrieval } from '../pages/page-retrieval.js';
import { flattened, grouped, PADDING, present, presentMatch } from './present.js';
import { type ImageQuestion, ImageQuestions, type ReadImage } from '../pages/query-image.js';
import type {
  OutputFormat,
  Retrieved,
  RetrievedChunk,
  RetrievedDocument,
  RetrieveRequest,
} from './retrieval.types.js';

/** Number of requested matches per requested document, because several matches may belong to the same document. */
const MATCHES_PER_DOCUMENT = 4;

/** Number of matches that are reranked. Independent of `k`, so that the score of a chunk does not depend on `k`. */
const RERANK_DEPTH = 20;

/** Maximum number of characters of all data URIs in a response. Limits the memory of a request. */
const MAX_CHARACTERS = 100_000_000;

/** A search for passages, or for pages with `useColpali` or an image. */
type Search = Omit<TextSearch, 'question'> & {
  readonly question: string | ReadImage;
  readonly useColpali: boolean;
};

/**
 * Retrieves passages, page images and documents for a question: searches, reranks, adds neighbours, and converts page
 * images to the requested format.
 */
@Injectable()
export class RetrievalService {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly search: ChunkSearch,
    private readonly pageRetrieval: PageRetrieval,
    private readonly imageQuestions: ImageQuestions,
    @Inject(Reranker) private readonly reranker: Reranker | null,
    private readonly passages: ChunkRepository,
    private readonly pages: PageRepository,
    private readonly images: PageImages,
    private readonly documents: DocumentRepository,
  ) {}

  /**
   * @throws ProviderFailed when an embedding model or the reranker fails; Invalid when the query image cannot be
   *   decoded, or the images of the response are too large.
   */
  async retrieve(scope: Scope, request: RetrieveRequest): Promise<Retrieved> {
    const { matches, plan } = await this.find(scope, this.searchOf(request));
    const ranked = await this.ranked(request, matches);
    const chunks = ranked.map((match) => presentMatch(match, request.withScoreComponents));
    const padding = request.useColpali ? request.padding : 0;
    const groups = grouped(chunks, await this.around(scope, chunks, padding), padding);
    const shown = await this.shown(scope, flattened(groups), request.outputFormat);
    const shownOf = (chunk: RetrievedChunk): RetrievedChunk[] =>
      [shown.get(chunk)].filter((one) => one !== undefined);
    const shownGroups = groups.flatMap(({ mainChunk, paddingChunks }) =>
      shownOf(mainChunk).map((main) => ({ mainChunk: main, paddingChunks: paddingChunks.flatMap(shownOf) })),
    );
    return { chunks: flattened(shownGroups), groups: shownGroups, plan };
  }

  /**
   * Returns at most `k` documents, each with its best chunk. Repeats the search without the documents found so far,
   * until there are `k` documents or no more matches.
   * @throws like `retrieve`.
   */
  async retrieveDocuments(scope: Scope, request: RetrieveRequest): Promise<RetrievedDocument[]> {
    const search = this.searchOf(request);
    const limit = MATCHES_PER_DOCUMENT * search.limit;
    const best = new Map<string, Match>();
    for (let isMore = true; isMore && best.size < search.limit;) {
      const selection = without(search.selection, [...best.keys()]);
      const { matches } = await this.find(scope, { ...search, selection, limit });
      for (const match of matches) if (!best.has(match.document_id)) best.set(match.document_id, match);
      isMore = matches.length === limit;
    }
    const ranked = await this.ranked(request, [...best.values()].slice(0, search.limit));
    const chunks = ranked.map((match) => presentMatch(match));
    const shown = await this.shown(scope, chunks, request.outputFormat);
    const rows = await this.documents.listById(
      scope,
      chunks.map(({ documentId }) => documentId),
    );
    return [...shown.values()].flatMap((chunk) => {
      const document = rows.get(chunk.documentId);
      return document === undefined ? [] : [{ chunk, document }]; // [] if the document was deleted since the search
    });
  }

  /**
   * Returns the requested chunks that exist and are visible. Each occurs once, in the order of its first request.
   * @throws Invalid when the images are too large for one response.
   */
  async chunksAt(scope: Scope, request: BatchChunksRequest): Promise<RetrievedChunk[]> {
    const selection = { folders: request.folder_name, endUserId: request.end_user_id };
    const scores = new Map<string, number>();
    for (const { document_id: id, chunk_number: number, score } of request.sources) {
      const place = placeOf(id, number);
      if (!scores.has(place)) scores.set(place, score ?? 0);
    }
    const named = request.sources
      .filter(({ document_id: id }) => isUuid(id))
      .map(({ document_id: documentId, chunk_number: number }) => ({
        documentId,
        first: number,
        last: number,
      }));
    const pages = request.use_colpali === true ? await this.within(scope, selection, [], named) : [];
    const isPage = new Set(pages.map((page) => placeOf(page.documentId, page.chunkNumber)));
    const others = named.filter(({ documentId, first }) => !isPage.has(placeOf(documentId, first)));
    const found = [...pages, ...(await this.within(scope, selection, others, []))];
    const shown = await this.shown(scope, found, request.output_format ?? 'base64');
    const byPlace = new Map(
      [...shown.values()].map((chunk) => [placeOf(chunk.documentId, chunk.chunkNumber), chunk]),
    );
    return [...scores].flatMap(([place, score]) => {
      const chunk = byPlace.get(place);
      return chunk === undefined ? [] : [{ ...chunk, score, isPadding: false }];
    });
  }

  /**
   * Returns the images of retrieved pages as data URIs for a vision model. The result is null for a passage, for an
   * image that was deleted since the search, and for an image beyond the size limit.
   */
  async imagesForModel(chunks: readonly RetrievedChunk[]): Promise<(string | null)[]> {
    const uris: (string | null)[] = [];
    let characters = 0;
    for (const { imageKey } of chunks) {
      const isFull = imageKey === null || characters > MAX_CHARACTERS;
      const uri = isFull ? null : await this.images.dataUri(imageKey);
      characters += uri?.length ?? 0;
      uris.push(uri);
    }
    return uris;
  }

  private async find(scope: Scope, { question, useColpali, ...search }: Search): Promise<Matches> {
    if (typeof question !== 'string') return this.pageRetrieval.byImage(scope, { ...search, question });
    if (useColpali) return this.pageRetrieval.byText(scope, { ...search, question });
    const { chunks, plan } = await this.search.searchText(scope, { ...search, question });
    return { matches: chunks, plan };
  }

  private searchOf(request: RetrieveRequest): Search {
    const { query, queryImage, filter, folders, folderDepth, endUserId } = request;
    const isReranked = this.rerankerFor(request) !== null;
    let image: Promise<ImageQuestion> | undefined;
    return {
      selection: { filter, folders, folderDepth, endUserId, withoutStores: leavesOutStores(request) },
      question: query ?? (() => (image ??= this.imageQuestions.read(queryImage ?? ''))),
      useColpali: request.useColpali,
      expansion: request.lexicalExpansion ?? [],
      limit: isReranked ? Math.max(request.k, RERANK_DEPTH) : request.k,
      minScore: isReranked ? 0 : request.minScore,
    };
  }

  private rerankerFor({ query, useReranking }: RetrieveRequest): Reranker | null {
    return query !== null && (useReranking ?? this.settings.RERANK_BY_DEFAULT) ? this.reranker : null;
  }

  /**
   * Reranks the best {@link RERANK_DEPTH} matches and replaces their scores. The other matches keep their order, and
   * their scores are limited to the lowest reranked score, so that scores never increase down the list.
   */
  private async ranked(request: RetrieveRequest, found: readonly Match[]): Promise<readonly Match[]> {
    const { query, k, minScore } = request;
    const reranker = this.rerankerFor(request);
    let ranked = found;
    if (reranker !== null && query !== null) {
      const head = found.slice(0, RERANK_DEPTH);
      const texts = head.map(({ content }) => content);
      const scores = await timed('rerank', () => reranker.rerank(query, texts));
      const reranked = head.map((match, at) => ({ ...match, score: scores[at] ?? 0 })).sort(byScore);
      const least = reranked.at(-1)?.score ?? 0;
      const below = found
        .slice(RERANK_DEPTH)
        .map((match) => ({ ...match, score: Math.min(match.score, least) }));
      ranked = [...reranked, ...below];
    }
    return ranked.filter(({ score }) => score >= minScore).slice(0, k);
  }

  /**
   * Returns the matches and their neighbours, up to `padding` positions away: passages around passages, and pages
   * around pages.
   */
  private async around(
    scope: Scope,
    matches: readonly RetrievedChunk[],
    padding: number,
  ): Promise<RetrievedChunk[]> {
    if (padding === 0) return [];
    const rangeOf = ({ documentId, chunkNumber }: RetrievedChunk): DocumentRange => {
      return { documentId, first: chunkNumber - padding, last: chunkNumber + padding };
    };
    const passages = matches.filter(({ imageKey }) => imageKey === null);
    const pages = matches.filter(({ imageKey }) => imageKey !== null);
    return this.within(scope, {}, passages.map(rangeOf), pages.map(rangeOf));
  }

  /** Returns the passages and pages in ranges of chunk numbers, each once, marked as padding. */
  private async within(
    scope: Scope,
    selection: DocumentSelection,
    passages: readonly DocumentRange[],
    pages: readonly DocumentRange[],
  ): Promise<RetrievedChunk[]> {
    const byPageNumber = pages.map(({ documentId, first, last }) => {
      return { documentId, first: first + 1, last: last + 1 };
    });
    const [chunks, images] = await Promise.all([
      this.passages.within(scope, selection, passages),
      byPageNumber.length === 0 ? [] : this.pages.within(scope, selection, byPageNumber),
    ]);
    return [...chunks, ...images].map((row) => present(row, PADDING));
  }

  /**
   * Converts page images to the requested output format. Returns a map from each chunk to its converted form. Omits
   * pages whose image was deleted since the search.
   * @throws Invalid when the images are too large for one response.
   */
  private async shown(
    scope: Scope,
    chunks: readonly RetrievedChunk[],
    format: OutputFormat,
  ): Promise<ReadonlyMap<RetrievedChunk, RetrievedChunk>> {
    const shown = new Map<RetrievedChunk, RetrievedChunk>();
    let characters = 0;
    for (const chunk of chunks) {
      const { documentId, imageKey } = chunk;
      if (imageKey === null || format === 'text') {
        shown.set(chunk, chunk);
      } else if (format === 'url') {
        const url = this.images.link(scope, documentId, imageKey);
        shown.set(chunk, { ...chunk, content: url, downloadUrl: url });
      } else {
        const content = await this.images.dataUri(imageKey);
        if (content === null) continue;
        characters += content.length;
        if (characters > MAX_CHARACTERS) throw tooLarge();
        shown.set(chunk, { ...chunk, content });
      }
    }
    return shown;
  }
}

function without(selection: DocumentSelection, documentIds: readonly string[]): DocumentSelection {
  if (documentIds.length === 0) return selection;
  const others = not({ kind: 'in', field: fieldNamed('external_id'), values: documentIds });
  const { filter = null } = selection;
  return { ...selection, filter: filter === null ? others : all([filter, others]) };
}

function placeOf(documentId: string, chunkNumber: number): string {
  return `${documentId.toLowerCase()} ${chunkNumber}`;
}

function tooLarge(): Invalid {
  return Invalid.at(
    ['body', 'output_format'],
    'Value error, the images are too large for one response: use url or text, a smaller k or less padding',
  );
}
