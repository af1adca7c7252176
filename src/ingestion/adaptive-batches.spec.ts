import { AdaptiveBatches } from './adaptive-batches.js';

const rowsOf = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Sizes of the batches that rows were written in, when a row takes `msOf` its number. */
async function sizesOf(
  batched: AdaptiveBatches,
  count: number,
  msOf: (row: number) => number,
): Promise<number[]> {
  const batches: (readonly number[])[] = [];
  await batched.write(rowsOf(count), (batch) => {
    batches.push(batch);
    return Promise.resolve(batch.reduce((sum, row) => sum + msOf(row), 0));
  });
  expect(batches.flat()).toEqual(rowsOf(count));
  return batches.map(({ length }) => length);
}

describe('the size of written batches', () => {
  const bounds = { initial: 1, max: 8, targetMs: 100, concurrency: 1 };

  it('grows up to the most that a batch may hold, while rows are fast', async () => {
    expect(await sizesOf(new AdaptiveBatches(bounds), 30, () => 1)).toEqual([1, 2, 4, 8, 8, 7]);
  });

  it('falls to what fits the time, and to single rows when one is too slow', async () => {
    expect(
      await sizesOf(new AdaptiveBatches({ ...bounds, initial: 8 }), 12, (row) => (row < 8 ? 30 : 200)),
    ).toEqual([8, 3, 1]);
  });

  it('goes on for the next rows as it was for the last ones', async () => {
    const batched = new AdaptiveBatches(bounds);
    await sizesOf(batched, 3, () => 1);
    expect(await sizesOf(batched, 8, () => 1)).toEqual([4, 4]);
  });

  it('keeps to its size where nobody waits', async () => {
    const batched = new AdaptiveBatches({ initial: 4, max: 4, targetMs: Infinity, concurrency: 2 });
    expect(await sizesOf(batched, 9, () => 1_000)).toEqual([4, 4, 1]);
  });

  it('writes no more batches at once than it may', async () => {
    const batched = new AdaptiveBatches(bounds);
    let writing = 0;
    let most = 0;
    await Promise.all(
      [rowsOf(5), rowsOf(5)].map((rows) =>
        batched.write(rows, async () => {
          most = Math.max(most, (writing += 1));
          await new Promise(setImmediate);
          writing -= 1;
          return 1;
        }),
      ),
    );
    expect(most).toBe(1);
  });
});
