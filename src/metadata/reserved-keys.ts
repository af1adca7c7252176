const RESERVED = new Set([
  'folder_name',
  'folder_id',
  'folder_path',
  'external_id',
  'filename',
  'app_id',
  'owner_id',
  'end_user_id',
]);

/** Whether a top-level metadata key is one that only the service writes. */
export function isReservedKey(key: string): boolean {
  return RESERVED.has(key);
}
