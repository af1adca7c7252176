import type { EventPosition, StoredEvent } from '../corpus/document-event.repository.js';
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

export function idOf({ xid, seq }: EventPosition): string {
  return `${xid}-${seq}`;
}

const ID = /^(\d{1,19})-(\d{1,19})$/;

/** Returns the position of an event id; undefined for what is no such id. */
export function positionOf(id: string): EventPosition | undefined {
  const [, xid, seq] = ID.exec(id) ?? [];
  return xid === undefined || seq === undefined ? undefined : { xid: BigInt(xid), seq: BigInt(seq) };
}
