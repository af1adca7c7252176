import type { Settings } from '../../config/settings.js';
import { RequestRefused } from '../../embedding/provider/provider-error.js';
import { Reranker } from '../reranker.js';
import { scoresOf } from './rerank-answer.js';
import { RerankEndpoint, type Patience } from './rerank-endpoint.js';

/** What one call carries: the default limit of text-embeddings-inference, the smallest of the known servers. */
const BATCH = 32;

const PATIENCE: Patience = { attempts: 3, withinMs: 10_000, timeoutMs: 30_000 };

type RerankerSettings = Pick<Settings, 'RERANKER_API_BASE' | 'RERANKER_API_KEY' | 'RERANKER_MODEL'>;

/** How a server takes passages: Cohere, Jina, vLLM and LiteLLM as `documents`, text-embeddings-inference as `texts`. */
type Dialect = 'documents' | 'texts';

/**
 * Adapter: a `/rerank` endpoint. The first call finds out how the server takes passages.
 *
 * The score is the server's. A server that answers logits is recognised by a score outside [0, 1]; from then on its
 * scores go through the logistic function.
 */
export class HttpReranker extends Reranker {
  readonly model: string;
  private readonly endpoint: RerankEndpoint;
  private readonly remoteModel: string | undefined;
  private dialect: Dialect | undefined;
  private answersLogits = false;

  constructor(settings: RerankerSettings, patience = PATIENCE) {
    super();
    this.remoteModel = settings.RERANKER_MODEL;
    this.model = this.remoteModel ?? 'rerank';
    const { RERANKER_API_BASE: base = '', RERANKER_API_KEY: key } = settings;
    this.endpoint = new RerankEndpoint(base, key, this.model, patience);
  }

  async rerank(query: string, passages: readonly string[], signal?: AbortSignal): Promise<number[]> {
    const scores: number[] = [];
    for (let start = 0; start < passages.length; start += BATCH) {
      scores.push(...(await this.score(query, passages.slice(start, start + BATCH), signal)));
    }
    this.answersLogits ||= scores.some((score) => score < 0 || score > 1);
    return this.answersLogits ? scores.map(logistic) : scores;
  }

  private async score(query: string, passages: readonly string[], signal?: AbortSignal): Promise<number[]> {
    const ask = async (dialect: Dialect): Promise<number[]> => {
      const answer = await this.endpoint.send(this.body(dialect, query, passages), signal);
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
