import { currentSignal, runInContext } from '../../request/request-context.js';
import { Embedder } from './embedder.js';
import type { Unreadable } from './readability.js';
import { QueryVectorCache } from './query-vector-cache.js';

class HeldEmbedder extends Embedder {
  readonly model = 'held';
  readonly dimensions = 1;
  readonly cosineFloor = 0.25;
  readonly calls: { text: string; answer: (vector: Float32Array) => void; fail: (error: Error) => void }[] =
    [];

  readonly signals: (AbortSignal | undefined)[] = [];

  embedDocuments(texts: readonly string[]): Promise<Float32Array[]> {
    return Promise.resolve(texts.map((text) => Float32Array.of(text.length)));
  }

  unreadable(question: string): Promise<Unreadable> {
    return Promise.resolve({ share: 1 / question.length, identifiers: [question] });
  }

  embedQuery(text: string): Promise<Float32Array> {
    this.signals.push(currentSignal());
    return new Promise((answer, fail) => this.calls.push({ text, answer, fail }));
  }
}

describe('QueryVectorCache', () => {
  let embedder: HeldEmbedder;
  let cache: QueryVectorCache;
  beforeEach(() => {
    embedder = new HeldEmbedder();
    cache = new QueryVectorCache(embedder);
  });

  it('delegates to its embedder', async () => {
    expect(cache).toMatchObject({ model: 'held', dimensions: 1, cosineFloor: 0.25 });
    await expect(cache.unreadable('abcd')).resolves.toEqual({ share: 0.25, identifiers: ['abcd'] });
    await expect(cache.embedDocuments(['abc'])).resolves.toEqual([Float32Array.of(3)]);
  });

  it('embeds a text once', async () => {
    const first = cache.embedQuery('harbour');
    const second = cache.embedQuery('harbour');
    embedder.calls[0]?.answer(Float32Array.of(1));
    await expect(Promise.all([first, second])).resolves.toEqual([Float32Array.of(1), Float32Array.of(1)]);
    await expect(cache.embedQuery('harbour')).resolves.toEqual(Float32Array.of(1));
    expect(embedder.calls.map(({ text }) => text)).toEqual(['harbour']);
  });

  it('embeds different texts separately', () => {
    void cache.embedQuery('harbour');
    void cache.embedQuery('Harbour');
    expect(embedder.calls).toHaveLength(2);
  });

  it('does not cache failures', async () => {
    const first = cache.embedQuery('harbour');
    embedder.calls[0]?.fail(new Error('down'));
    await expect(first).rejects.toThrow('down');
    const second = cache.embedQuery('harbour');
    embedder.calls[1]?.answer(Float32Array.of(2));
    await expect(second).resolves.toEqual(Float32Array.of(2));
  });

  it('serves other callers after one aborts', async () => {
    const caller = new AbortController();
    const leaves = runInContext(caller.signal, () => cache.embedQuery('harbour'));
    const stays = cache.embedQuery('harbour');
    caller.abort(new Error('gone'));
    await expect(leaves).rejects.toThrow('gone');
    embedder.calls[0]?.answer(Float32Array.of(3));
    await expect(stays).resolves.toEqual(Float32Array.of(3));
    expect(embedder.calls).toHaveLength(1);
  });

  it('serves other callers after the first caller aborts', async () => {
    const caller = new AbortController();
    const leaves = runInContext(caller.signal, () => cache.embedQuery('harbour'));
    const stays = cache.embedQuery('harbour');
    caller.abort(new Error('gone'));
    await expect(leaves).rejects.toThrow('gone');
    expect(embedder.signals).toEqual([undefined]);
    embedder.calls[0]?.answer(Float32Array.of(3));
    await expect(stays).resolves.toEqual(Float32Array.of(3));
  });

  it('rejects an aborted caller', async () => {
    await expect(
      runInContext(AbortSignal.abort(new Error('gone')), () => cache.embedQuery('harbour')),
    ).rejects.toThrow('gone');
  });
});
