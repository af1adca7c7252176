import { setTimeout as pause } from 'node:timers/promises';

const CLIENTS = 4;
const POLL_MS = 20;

/**
 * Puts documents in through POST /ingest/text, a few clients at once, and waits until all of them are completed.
 * @param documents request bodies
 * @returns seconds from the first request to the last completion
 * @throws Error when a document failed
 */
export async function ingest(service, documents) {
  const before = (await statusCounts(service)).completed;
  const begun = performance.now();
  const queue = documents.values();
  const client = async () => {
    for (const document of queue) await service.call('/ingest/text', document);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  for (;;) {
    const { completed, failed } = await statusCounts(service);
    if (failed > 0) throw new Error(`${failed} documents failed`);
    if (completed >= before + documents.length) return (performance.now() - begun) / 1000;
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
