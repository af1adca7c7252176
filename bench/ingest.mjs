import { setTimeout as pause } from 'node:timers/promises';

const CLIENTS = 4;
const POLL_MS = 20;

/**
 * Puts documents in through POST /ingest/text, a few clients at once, and waits until all of them are completed.
 * @param documents request bodies
 * @returns seconds from the first request to the last completion, and the ids in the order of the documents
 * @throws Error when a document failed
 */
export async function ingest(service, documents) {
  const before = (await statusCounts(service)).completed;
  const begun = performance.now();
  const ids = [];
  const queue = documents.entries();
  const client = async () => {
    for (const [index, document] of queue) {
      ids[index] = (await service.call('/ingest/text', document)).external_id;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  for (;;) {
    const { completed, failed } = await statusCounts(service);
    if (failed > 0) throw new Error(`${failed} documents failed`);
    if (completed >= before + documents.length) {
      return { seconds: (performance.now() - begun) / 1000, ids };
    }
    await pause(POLL_MS);
  }
}

async function statusCounts(service) {
  const { status_counts: counts } = await service.call('/documents', {
    limit: 1,
    return_documents: false,
    include_status_counts: true,
  });
  return { completed: counts.completed ?? 0, failed: counts.failed ?? 0 };
}
