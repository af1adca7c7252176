/** Permissions of a key. `admin` includes every other permission. */
export const PERMISSIONS = ['read', 'query', 'write', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];
