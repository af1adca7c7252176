import { randomUUID } from 'node:crypto';
import { objectKey } from '../../storage/object-key.js';

/** Every object of a document lies under this prefix, tenant first. The slash at the end makes it a prefix. */
export function documentPrefix(appId: string, documentId: string): string {
  return `${objectKey(appId, documentId)}/`;
}

/** A new key for a source of the document. */
export function sourceKey(appId: string, documentId: string): string {
  return objectKey(appId, documentId, randomUUID());
}
