import { AdaptiveBatches } from './chunk-staging.js';

const rowsOf = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Returns the sizes of the written batches if row `n` takes `msOf(n)` milliseconds. */
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

describe('AdaptiveBatches', () => {
  const bounds = { initial: 1, max: 8, targetMs: 100, concurrency: 1 };

  it('doubles the batch size up to its maximum while rows are fast', async () => {
    expect(await sizesOf(new AdaptiveBatches(bounds), 30, () => 1)).toEqual([1, 2, 4, 8, 8, 7]);
  });

  it('shrinks batches to the target time, and to single rows if one row exceeds it', async () => {
    expect(
      await sizesOf(new AdaptiveBatches({ ...bounds, initial: 8 }), 12, (row) => (row < 8 ? 30 : 200)),
    ).toEqual([8, 3, 1]);
  });

  it('keeps the batch size between calls', async () => {
    const batched = new AdaptiveBatches(bounds);
    await sizesOf(batched, 3, () => 1);
    expect(await sizesOf(batched, 8, () => 1)).toEqual([4, 4]);
  });

  it('keeps a fixed size without a target time', async () => {
    const batched = new AdaptiveBatches({ initial: 4, max: 4, targetMs: Infinity, concurrency: 2 });
    expect(await sizesOf(batched, 9, () => 1_000)).toEqual([4, 4, 1]);
  });

  it('limits concurrent batches', async () => {
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
