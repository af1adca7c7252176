import type { AccessLists, LecternClient } from '../api/lectern.js';
import { inBatches, type Tell } from './batches.js';

/** Maximum number of concurrent requests, each of which shares one document. */
const SHARED_AT_ONCE = 4;

interface ListsOfDocument {
  readonly id: string;
  /** null: those of the folder */
  readonly lists: AccessLists | null;
}

/** Shares documents by changing their lists, a few at a time. @throws as {@link inBatches} */
export async function changeLists(
  client: LecternClient,
  documents: readonly ListsOfDocument[],
  signal: AbortSignal,
  tell: Tell,
): Promise<void> {
  await inBatches(documents, SHARED_AT_ONCE, { progress: 'batch.sharing', tell, signal }, (batch) =>
    Promise.all(batch.map(({ id, lists }) => client.changeAccess(id, lists, { signal }))),
  );
}
