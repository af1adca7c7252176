import { Forbidden } from '../errors/index.js';

/** What a key may do. `admin` includes every other permission. */
export const PERMISSIONS = ['read', 'query', 'write', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The tenant of the first admin key, of ADMIN_KEY and of AUTH_MODE=none. */
export const DEFAULT_TENANT = 'default';

/**
 * Who is asking: the first argument of every service method. Nothing tenant-bound is ambient; a statement that
 * touches stored rows takes the tenant from here.
 */
export interface Scope {
  /** The tenant, called `app_id` on the wire and in every table. */
  readonly appId: string;
  /** Over which its documents are divided (`tenant-shards.ts`). */
  readonly parts: number;
  /** With `admin` it holds every permission. */
  readonly permissions: ReadonlySet<Permission>;
  /** Identifier of the key that made the request (rate limits, logs); never the key itself. */
  readonly keyId: string;
}

/** The scope of a key: its permissions written out. */
export function scopeOf(appId: string, granted: readonly Permission[], keyId: string, parts = 1): Scope {
  return { appId, parts, permissions: new Set(granted.includes('admin') ? PERMISSIONS : granted), keyId };
}

/** Who runs the installation: the administrators of the default tenant. They make and manage the other tenants. */
export function isOperator({ appId, permissions }: Scope): boolean {
  return appId === DEFAULT_TENANT && permissions.has('admin');
}

/**
 * The tenant that an administrator acts on: the own one, or for the operator any.
 * @param appId null: the own one
 * @throws Forbidden, whether there is such a tenant or not.
 */
export function administered(scope: Scope, appId: string | null): string {
  if (appId === null || appId === scope.appId) return scope.appId;
  if (isOperator(scope)) return appId;
  throw new Forbidden('Only an admin key of the default tenant acts on other tenants');
}

export function isPermission(value: unknown): value is Permission {
  return PERMISSIONS.some((permission) => permission === value);
}
