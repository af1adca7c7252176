import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const CLIENTS = 4;
const POLL_MS = 20;

/**
 * Ingests documents with POST /ingest/text, using a few clients, and waits until all are completed.
 *
 * @param documents request bodies
 * @returns seconds from the first request to the last completion, and the ids in order
 * @throws Error if a document failed
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

/**
 * Ingests files with POST /ingest/file and waits until all are completed.
 *
 * @param files names in `folder`
 * @param fields other fields of the form
 * @returns chunks, and seconds from the first request to the last completion
 * @throws Error if a file failed
 */
export function ingestFiles(service, { folder, files }, fields = {}) {
  return ingestBytes(
    service,
    files.map((name) => [name, readFileSync(join(folder, name))]),
    fields,
  );
}

/** Like `ingestFiles`, for pairs of name and bytes. */
export async function ingestBytes(service, files, fields = {}) {
  const begun = performance.now();
  const ids = [];
  for (const [name, bytes] of files) {
    const form = new FormData();
    form.append('file', new Blob([bytes]), name);
    for (const [key, value] of Object.entries(fields)) form.append(key, value);
    const headers = { Authorization: `Bearer ${service.key}` };
    const answer = await fetch(`${service.base}/ingest/file`, { method: 'POST', headers, body: form });
    if (!answer.ok) throw new Error(`${name} was answered ${answer.status}: ${await answer.text()}`);
    ids.push((await answer.json()).external_id);
  }
  let chunks = 0;
  for (const id of ids) chunks += await chunksOf(service, id);
  return { chunks, seconds: (performance.now() - begun) / 1_000 };
}

/** The number of a document's chunks once it is completed. */
async function chunksOf(service, id) {
  for (;;) {
    const { system_metadata: system } = await service.call(`/documents/${id}`);
    if (system.status === 'completed') return system.chunk_count;
    if (system.status === 'failed') throw new Error(`a file failed: ${system.error}`);
    await pause(POLL_MS);
  }
}

export async function countChunks(service) {
  let chunks = 0;
  for (let skip = 0; skip !== null;) {
    const page = await service.call('/documents', { skip, limit: 1000 });
    for (const { system_metadata: system } of page.documents) chunks += system.chunk_count;
    skip = page.has_more ? page.next_skip : null;
  }
  return chunks;
}
