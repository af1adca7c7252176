import { v7 } from 'uuid';

/**
 * The id of a new document: a UUID of version 7 (RFC 9562), which begins with the time. Documents that came one after
 * the other lie together in the indexes over them and their chunks, and are looked up together in fewer pages.
 */
export function newDocumentId(): string {
  return v7();
}
