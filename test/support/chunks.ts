import { NO_CONTEXT } from '#reader';
import type { RetrievedChunk } from '../../src/retrieval/retrieval.types.js';

export function chunkOf(fields: Partial<RetrievedChunk> = {}): RetrievedChunk {
  return {
    documentId: 'b2b6a3a2-0000-4000-8000-000000000001',
    chunkNumber: 0,
    content: 'Some text.',
    context: NO_CONTEXT,
    score: 0.8,
    metadata: {},
    contentType: 'text/plain',
    filename: 'manual.txt',
    downloadUrl: null,
    isPadding: false,
    pageNumber: null,
    overlap: null,
    imageKey: null,
    ...fields,
  };
}
