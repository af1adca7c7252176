import type { StoredEvent } from '../corpus/document-event.repository.js';
import type { DocumentEvent } from './event.dto.js';

/** Returns an event as callers see it in a stream. */
export function documentEvent({ type, documentId, data, happenedAt }: StoredEvent): DocumentEvent {
  const { filename, status, version, progress, error } = data;
  const timestamp = happenedAt.toISOString();
  const document = { document_id: documentId, filename, status, version };
  switch (type) {
    case 'document.progress': {
      const { step_name: step = 'queued', percentage = 0 } = progress ?? {};
      return { type, timestamp, data: { ...document, progress: { step, percentage } } };
    }
    case 'document.failed':
      return { type, timestamp, data: { ...document, error: error ?? '' } };
    default:
      return { type, timestamp, data: document };
  }
}

/** The greatest place in a transaction. */
export const END_OF_TRANSACTION = 2n ** 63n - 1n;
