/** Prefixes of the ids that the OpenAI protocol shows, for what lies in the corpus. */
export const STORE_PREFIXES = { file: 'file-', store: 'vs_', batch: 'vsfb_' } as const;

/** Returns the id that the protocol shows of a UUID: a prefix and the 32 digits. */
export function prefixedId(prefix: string, uuid: string): string {
  return prefix + uuid.replaceAll('-', '');
}
