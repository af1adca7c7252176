import { t } from '../language/translate.js';
/** Shows the progress of an action on several documents. */
export type Tell = (progress: string) => void;

interface Following {
  readonly progress: 'batch.deleting' | 'batch.moving' | 'batch.sharing' | null;
  readonly tell: Tell;
  readonly signal: AbortSignal;
}

/**
 * Works on items in batches, one after the other.
 *
 * @param progress the text of the progress; null: no progress is shown
 * @throws the first error; the earlier batches are done
 */
export async function inBatches<T>(
  items: readonly T[],
  size: number,
  { progress, tell, signal }: Following,
  work: (batch: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < items.length; start += size) {
    signal.throwIfAborted();
    if (items.length > size && progress !== null) tell(t(progress, { done: start, count: items.length }));
    await work(items.slice(start, start + size));
  }
}
