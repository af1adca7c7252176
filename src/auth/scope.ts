/** What a key may do. `admin` includes every other permission. */
export const PERMISSIONS = ['read', 'query', 'write', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/**
 * Who is asking: the first argument of every service method. Nothing tenant-bound is ambient; a statement that
 * touches stored rows takes the tenant from here.
 */
export interface Scope {
  /** The tenant, called `app_id` on the wire and in every table. */
  readonly appId: string;
  readonly permissions: ReadonlySet<Permission>;
  /** Identifier of the key that made the request (rate limits, logs); never the key itself. */
  readonly keyId: string;
}
