/** Shows the progress of an action on several documents. */
export type Tell = (progress: string) => void;

/**
 * Works on items in batches, one after the other.
 *
 * @param verb such as `Deleting`
 * @throws the first error; the earlier batches are done
 */
export async function inBatches<T>(
  items: readonly T[],
  size: number,
  { verb, tell, signal }: { readonly verb: string; readonly tell: Tell; readonly signal: AbortSignal },
  work: (batch: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < items.length; start += size) {
    signal.throwIfAborted();
    if (items.length > size)
      tell(`${verb} ${start.toLocaleString('en')} of ${items.length.toLocaleString('en')}…`);
    await work(items.slice(start, start + size));
  }
}
