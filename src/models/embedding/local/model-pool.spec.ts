import { LOCAL_MODELS } from '../../../config/local-models.js';
import { until } from '../../../../test/support/until.js';
import { modelFolder } from './model-folder.js';
import { ModelPool } from './model-pool.js';

const MODEL = LOCAL_MODELS.local;

const pool = (size: number, idleMs?: number): ModelPool =>
  new ModelPool(size, { ...MODEL, folder: modelFolder(MODEL), cores: 1 }, {}, idleMs);

const embed = (threads: ModelPool, texts: readonly string[]): Promise<Float32Array[]> =>
  Promise.all(texts.map((text) => threads.run(text, undefined)));

describe('ModelPool', () => {
  it('starts another thread when every one has a text waiting, up to its size', async () => {
    const threads = pool(2);
    expect(threads.running).toBe(0);
    await embed(threads, ['one']);
    expect(threads.running).toBe(1);
    await embed(threads, ['one', 'two']);
    expect(threads.running).toBe(1);
    await embed(threads, ['one', 'two', 'three']);
    expect(threads.running).toBe(2);
    await embed(threads, Array<string>(9).fill('one'));
    expect(threads.running).toBe(2);
    await threads.close();
  });

  it('returns the same vectors as one thread', async () => {
    const texts = Array.from({ length: 12 }, (_, index) => `Paragraph ${index} of the annual budget.`);
    const [one, three] = [pool(1), pool(3)];
    expect(await embed(three, texts)).toEqual(await embed(one, texts));
    await Promise.all([one.close(), three.close()]);
  });

  it('ends idle threads, and starts again', async () => {
    const threads = pool(2, 0);
    const [before] = await embed(threads, ['one', 'two', 'three']);
    await until('the threads end', () => threads.running === 0);
    const [after] = await embed(threads, ['one']);
    expect(after).toEqual(before);
    await threads.close();
  });

  it('finishes what it was given before it closes, and takes nothing afterwards', async () => {
    const threads = pool(2);
    const given = embed(threads, ['one', 'two', 'three']);
    await Promise.all([given, threads.close()]);
    expect(await given).toHaveLength(3);
    await expect(threads.run('later', undefined)).rejects.toMatchObject({ status: 503 });
  });
});
