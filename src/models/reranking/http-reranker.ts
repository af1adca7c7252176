import type { OpenAI } from 'openai';
import type { Settings } from '../../config/settings.js';
import { ProviderCalls, type Patience } from '../providers/calls.js';
import { providerClient } from '../providers/client.js';
import { itemsInOrder, RequestRefused, UnusableAnswer } from '../providers/failures.js';
import { currentSignal } from '../../request/request-context.js';
import { Reranker } from './reranker.js';

/** Name of the server in error messages. */
const LABEL = 'The reranker';

/**
 * Maximum number of passages per call: the default limit of text-embeddings-inference, which is the lowest limit of all
 * known servers.
 */
const BATCH = 32;

const PATIENCE: Patience = { attempts: 3, withinMs: 10_000, timeoutMs: 30_000 };

type RerankerSettings = Pick<Settings, 'RERANKER_API_BASE' | 'RERANKER_API_KEY' | 'RERANKER_MODEL'>;

/**
 * Name of the member of a request that contains the passages: `documents` for Cohere, Jina, vLLM and LiteLLM, `texts`
 * for text-embeddings-inference.
 */
type Dialect = 'documents' | 'texts';

/**
 * Adapter for a `/rerank` endpoint. The first call finds out which format the server accepts.
 *
 * Returns the scores of the server. A score outside [0, 1] shows that the server returns logits; from then on, the
 * adapter converts scores by the logistic function.
 */
export class HttpReranker extends Reranker {
  readonly model: string;
  private readonly client: OpenAI;
  private readonly calls: ProviderCalls;
  private readonly remoteModel: string | undefined;
  private dialect: Dialect | undefined;
  private answersLogits = false;

  constructor(
    settings: RerankerSettings,
    private readonly patience = PATIENCE,
  ) {
    super();
    const { RERANKER_API_BASE: base = '', RERANKER_API_KEY: key } = settings;
    this.remoteModel = settings.RERANKER_MODEL;
    this.model = this.remoteModel ?? 'rerank';
    const apiKey = key ?? null;
    // The configured URL may already end with `/rerank`.
    this.client = providerClient({ provider: null, apiBase: base.replace(/\/*(\/rerank)?\/*$/, ''), apiKey });
    this.calls = new ProviderCalls({
      kind: 'reranking',
      label: LABEL,
      model: this.model,
      apiKey,
      logsMessages: false,
    });
  }

  async rerank(query: string, passages: readonly string[]): Promise<number[]> {
    const scores: number[] = [];
    for (let start = 0; start < passages.length; start += BATCH) {
      scores.push(...(await this.score(query, passages.slice(start, start + BATCH))));
    }
    this.answersLogits ||= scores.some((score) => score < 0 || score > 1);
    return this.answersLogits ? scores.map(logistic) : scores;
  }

  private async score(query: string, passages: readonly string[]): Promise<number[]> {
    const ask = async (dialect: Dialect): Promise<number[]> => {
      const body = this.body(dialect, query, passages);
      const answer = await this.calls.run(
        (ended) => this.client.post<unknown>('/rerank', { body, signal: ended }),
        this.patience,
        currentSignal(),
      );
      this.dialect = dialect;
      return scoresOf(answer, passages.length);
    };
    if (this.dialect !== undefined) return ask(this.dialect);
    try {
      return await ask('documents');
    } catch (refusal) {
      if (!(refusal instanceof RequestRefused)) throw refusal;
      return ask('texts');
    }
  }

  private body(dialect: Dialect, query: string, passages: readonly string[]): object {
    if (dialect === 'texts') return { query, texts: passages, truncate: true };
    return { ...(this.remoteModel !== undefined && { model: this.remoteModel }), query, documents: passages };
  }
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/**
 * Returns the scores of a response in the order of the passages. Cohere, Jina and vLLM return `results`, Voyage returns
 * `data`, and text-embeddings-inference returns a plain list. Servers sort the items by score, so only the index of an
 * item identifies its passage.
 *
 * @throws UnusableAnswer when the response does not contain `count` scores.
 */
function scoresOf(answer: unknown, count: number): number[] {
  const body = (answer ?? {}) as { readonly results?: unknown; readonly data?: unknown };
  const list = [body, body.results, body.data].find((candidate) => Array.isArray(candidate));
  return itemsInOrder(list, count, LABEL).map(({ index, relevance_score: relevance, score = relevance }) => {
    if (typeof index !== 'number' || typeof score !== 'number' || !Number.isFinite(score)) {
      throw new UnusableAnswer(`${LABEL} returned an item without an index and a score`);
    }
    return score;
  });
}
