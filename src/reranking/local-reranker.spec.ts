import { join } from 'node:path';
import { packageRoot } from '../config/package-root.js';
import { LocalTextModel } from '../embedding/local/local-text-model.js';
import { LocalReranker, meanMaxSim } from './local-reranker.js';
import { runInContext } from '../request/request-context.js';

const vectors = (...rows: number[][]) => ({
  tokens: rows.length,
  dimensions: rows[0]?.length ?? 0,
  values: Float32Array.from(rows.flat()),
});

describe('late interaction', () => {
  it('is the mean over the tokens of the query of their best cosine', () => {
    expect(meanMaxSim(vectors([1, 0], [0, 1]), vectors([0.6, 0.8], [0, 1], [-1, 0]))).toBeCloseTo(0.8, 6);
  });

  it('can be as low as -1', () => {
    expect(meanMaxSim(vectors([1, 0]), vectors([-1, 0]))).toBe(-1);
  });
});

describe('the local reranker', () => {
  let model: LocalTextModel;
  let reranker: LocalReranker;
  beforeAll(() => {
    model = new LocalTextModel(join(packageRoot, 'models', 'all-MiniLM-L6-v2'));
    reranker = new LocalReranker(model);
  });
  afterAll(() => model.onApplicationShutdown());

  const PASSAGES = [
    'The recipe needs two eggs and a cup of sugar.',
    'Goods may stay in the harbour for thirty days.',
    '',
  ];

  it('scores the passage that answers above the others', async () => {
    const [recipe, harbour, empty] = await reranker.rerank('How long may goods stay in the port?', PASSAGES);
    expect(harbour).toBeGreaterThan(recipe!);
    expect(harbour).toBeGreaterThan(empty!);
  });

  it('scores within [0, 1], and 1 for the query itself', async () => {
    const query = 'How long may goods stay in the port?';
    const scores = await reranker.rerank(query, [query, ...PASSAGES]);
    expect(scores[0]).toBeCloseTo(1, 5);
    expect(Math.min(...scores)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...scores)).toBeLessThanOrEqual(1);
  });

  it('gives a passage the same score among any others', async () => {
    const [, together] = await reranker.rerank('goods in the port', PASSAGES);
    const [alone] = await reranker.rerank('goods in the port', PASSAGES.slice(1, 2));
    expect(alone).toBe(together);
  });

  it('has no scores for no passages', async () => {
    await expect(reranker.rerank('anything', [])).resolves.toEqual([]);
  });

  it('stops when the caller left', async () => {
    const reason = new Error('the caller left');
    await expect(
      runInContext(AbortSignal.abort(reason), () => reranker.rerank('anything', PASSAGES)),
    ).rejects.toBe(reason);
  });
});
