/** Every object of a document lies under this prefix, tenant first. */
export function documentPrefix(appId: string, documentId: string): string {
  return `${encodeURIComponent(appId)}/${documentId}/`;
}

/** Key of the source of one version. */
export function sourceKey(appId: string, documentId: string, version: number): string {
  return `${documentPrefix(appId, documentId)}${version}`;
}
