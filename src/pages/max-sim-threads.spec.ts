import { Worker } from 'node:worker_threads';
import type { MultiVector } from '../models/multivector/page-embedder.js';
import { encodedPage } from './page-vectors.js';
import { MaxSimThreads } from './max-sim-threads.js';

const QUESTION: MultiVector = { dims: 2, vectors: Float32Array.of(1, 0) };

/** A page with one vector at this angle to the question. */
const pageAt = (angle: number): Buffer =>
  encodedPage({ dims: 2, vectors: Float32Array.of(Math.cos(angle), Math.sin(angle)) }).vectors;

describe('MaxSimThreads', () => {
  let threads: MaxSimThreads;
  beforeEach(() => {
    threads = new MaxSimThreads();
  });
  afterEach(() => threads.onApplicationShutdown());

  it.each([0, 1, 2, 3, 50])('scores %i pages in order', async (count) => {
    const angles = Array.from({ length: count }, (_, index) => (index * Math.PI) / 50);
    const scores = await threads.scores(QUESTION, angles.map(pageAt));
    expect(scores).toHaveLength(count);
    scores.forEach((score, index) => {
      expect(score).toBeCloseTo((1 + Math.cos(angles[index]!)) / 2, 2);
    });
  });

  it('scores concurrent questions', async () => {
    const other = { dims: 2, vectors: Float32Array.of(0, 1) };
    const pages = [pageAt(0), pageAt(Math.PI / 2)];
    const [first, second] = await Promise.all([
      threads.scores(QUESTION, pages),
      threads.scores(other, pages),
    ]);
    expect(first.map((score) => Math.round(score * 2) / 2)).toEqual([1, 0.5]);
    expect(second.map((score) => Math.round(score * 2) / 2)).toEqual([0.5, 1]);
  });

  it('rejects pending calls when a thread dies, and restarts it', async () => {
    await threads.scores(QUESTION, [pageAt(0)]);
    const messages = jest.spyOn(Worker.prototype, 'postMessage');
    const large = Array.from({ length: 20 }, () => Buffer.alloc(2_000_000, 1));
    const dies = expect(threads.scores(QUESTION, large)).rejects.toMatchObject({ status: 503 });
    await Promise.all((messages.mock.contexts as Worker[]).map((worker) => worker.terminate()));
    messages.mockRestore();
    await dies;
    expect(await threads.scores(QUESTION, [pageAt(0)])).toEqual([expect.closeTo(1, 4)]);
  });
});
