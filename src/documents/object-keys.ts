import { objectKey } from '../storage/object-key.js';

/** Every object of a document lies under this prefix, tenant first. */
export function documentPrefix(appId: string, documentId: string): string {
  return objectKey(appId, documentId);
}

/** Key of the source of one version. */
export function sourceKey(appId: string, documentId: string, version: number): string {
  return objectKey(appId, documentId, String(version));
}
