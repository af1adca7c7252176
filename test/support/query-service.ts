import { RateLimit } from '../../src/http/rate-limit.js';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { type Scope, scopeOf } from '../../src/auth/scope.js';
import { DocumentRepository } from '../../src/corpus/document.repository.js';
import { LanguageModels } from '../../src/models/llm/language-models.js';
import { StructuredOutput } from '../../src/models/llm/structured/structured-output.js';
import { AnsweringService } from '../../src/answering/answering.service.js';
import { ChatRepository } from '../../src/chats/chat.repository.js';
import { TalkRepository } from '../../src/chats/talk.repository.js';
import { EntityService } from '../../src/answering/entities/entity.service.js';
import { BestPassages } from '../../src/answering/passages/best-passages.js';
import { ModelAnswers } from '../../src/answering/model-answers.js';
import { PreparationService } from '../../src/answering/preparation.service.js';
import { QueryDto, searchIn, toQueryRequest } from '../../src/query/query.dto.js';
import type { CompletionDto } from '../../src/query/query-response.dto.js';
import { QueryService } from '../../src/query/query.service.js';
import type { QueryRequest, StreamEvent } from '../../src/query/query.types.js';
import { readInput } from '../../src/http/input/input.pipe.js';
import type { RetrievalService } from '../../src/retrieval/retrieval.service.js';
import type { RetrievedChunk, Retrieved, RetrieveRequest } from '../../src/retrieval/retrieval.types.js';
import { addTiming, runInContext } from '../../src/request/request-context.js';
import { chunkOf } from './chunks.js';
import { configuredModel } from './configured-model.js';
import { openTestDatabase, type TestDatabase } from './database.js';
import { FakeProvider } from './fake-provider/fake-provider.js';
import { settingsWith } from './settings.js';
import { WordVectors } from './word-vectors.js';
import { Quotas } from '../../src/quotas/quotas.service.js';

/** The retrieval methods that a completion uses. */
type Retrieval = Pick<RetrievalService, 'retrieve' | 'imagesForModel'>;

/** A fake retrieval that returns the given chunks for every request, and records the requests. */
export class GivenChunks implements Retrieval {
  readonly requests: RetrieveRequest[] = [];
  chunks: readonly RetrievedChunk[];

  constructor(...chunks: readonly RetrievedChunk[]) {
    this.chunks = chunks;
  }

  retrieve(_scope: Scope, request: RetrieveRequest): Promise<Retrieved> {
    this.requests.push(request);
    addTiming('embed', 1);
    addTiming('db', 2);
    return Promise.resolve({
      chunks: this.chunks,
      groups: [],
      plan: { path: 'exact', matchingChunks: this.chunks.length, candidates: this.chunks.length },
    });
  }

  /** Returns the key of each image in place of the image. An empty key has no image. */
  imagesForModel(chunks: readonly RetrievedChunk[]): Promise<(string | null)[]> {
    return Promise.resolve(chunks.map(({ imageKey }) => (imageKey === '' ? null : imageKey)));
  }
}

export interface WiredQueryService {
  readonly service: QueryService;
  readonly chats: ChatRepository;
}

/** Returns the query service over a database, with given retrieval. */
export function queryService(
  dataSource: DataSource,
  retrieval: Retrieval,
  environment: Readonly<Record<string, string>> = {},
): WiredQueryService {
  const settings = settingsWith(environment);
  const structured = new StructuredOutput();
  const documents = new DocumentRepository(dataSource);
  const quotas = new Quotas(dataSource, settings);
  const talk = new TalkRepository(dataSource, documents, quotas);
  const chats = new ChatRepository(dataSource, talk, quotas);
  const bestPassages = new BestPassages(new WordVectors());
  const preparation = new PreparationService(
    settings,
    new LanguageModels(settings, configuredModel(environment), quotas),
    new RateLimit(settings, dataSource),
    new EntityService(structured),
    retrieval as RetrievalService,
    bestPassages,
  );
  const answering = new AnsweringService(preparation, new ModelAnswers(structured), documents);
  return { service: new QueryService(answering, chats, quotas), chats };
}

/** Returns the scope of a new tenant. */
export async function newScope(dataSource: DataSource): Promise<Scope> {
  const appId = randomUUID();
  await dataSource.query('insert into apps (app_id, name) values ($1, $1)', [appId]);
  return scopeOf(appId, ['query', 'write'], 'test');
}

/** Parses a request from a body, like the controller. */
export function requestOf(body: object): QueryRequest {
  return { ...toQueryRequest(readInput(QueryDto, body, ['body'], settingsWith())), options: searchIn(body) };
}

export async function eventsOf(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Joins the deltas of a stream. */
export function textOf(events: readonly StreamEvent[]): string {
  return events.flatMap((event) => (event.type === 'assistant' ? event.content : [])).join('');
}

/** Two passages of a manual: the answer to "How heavy is it?" and its padding. */
export const MANUAL = [
  chunkOf({
    chunkNumber: 3,
    content: 'The device weighs two kilograms.',
    filename: 'manual.pdf',
    pageNumber: 4,
  }),
  chunkOf({
    chunkNumber: 4,
    content: 'It is blue.',
    filename: 'manual.pdf',
    pageNumber: 5,
    score: 0,
    isPadding: true,
  }),
];

/** Asks the query service about two passages of a manual, with a fake provider and a new tenant for each test. */
export class AskedManual {
  readonly retrieval = new GivenChunks();
  provider: FakeProvider;
  scope: Scope;
  database: TestDatabase;

  /** Registers the hooks of the surrounding `describe`. */
  constructor() {
    beforeAll(async () => {
      [this.database, this.provider] = await Promise.all([openTestDatabase(), FakeProvider.start()]);
    }, 60_000);
    afterAll(async () => {
      await Promise.all([this.provider.close(), this.database.close()]);
    });
    beforeEach(async () => {
      jest.spyOn(Math, 'random').mockReturnValue(0);
      this.provider.forget();
      this.retrieval.requests.length = 0;
      this.retrieval.chunks = MANUAL;
      this.scope = await newScope(this.database.dataSource);
    });
  }

  /** @param behaviour how the fake provider behaves */
  readonly wired = (behaviour: string, environment: Record<string, string> = {}): WiredQueryService =>
    queryService(this.database.dataSource, this.retrieval, {
      LLM_MODEL: `hosted_vllm/${behaviour}`,
      LLM_API_BASE: this.provider.url,
      ...environment,
    });

  readonly ask = (behaviour: string, body: object): Promise<CompletionDto> =>
    runInContext(undefined, () =>
      this.wired(behaviour).service.complete(this.scope, requestOf({ query: 'How heavy is it?', ...body })),
    );

  /** Returns the turns of a chat. */
  readonly stored = async (chatId: string, endUserId: string | null = null): Promise<string[]> =>
    (await this.wired('x').chats.lastTurns(this.scope, { chatId, endUserId }, 100)).map(
      ({ role, content }) => `${role}: ${content}`,
    );
}
