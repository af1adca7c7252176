import type { Quotas } from '../config/quotas.js';
import { Forbidden, Invalid, type Location } from '../errors/index.js';
import { hash32 } from '../lexical/inverted-index.js';
import { type Permission, PERMISSIONS } from './permissions.js';
import type { TokenPolicy } from './token-policy.js';

export { PERMISSIONS, type Permission } from './permissions.js';

/** Tenant of the first admin key, of ADMIN_KEY and of AUTH_MODE=none. */
export const DEFAULT_TENANT = 'default';

/**
 * The caller of a service method, passed as its first argument. There is no global current tenant: every SQL statement
 * takes the tenant from this object.
 */
export interface Scope {
  /** The tenant, called `app_id` on the wire and in every table. */
  readonly appId: string;
  readonly shards: number;
  /** All permissions if the key has `admin`. */
  readonly permissions: ReadonlySet<Permission>;
  /** Identifier of the key that made the request (rate limits, logs); never the key itself. */
  readonly keyId: string;
  /**
   * The end user that the key belongs to; null for a key of an application or an administrator. A key of an end user
   * acts for this end user only. The room `access` decides what it may read and change.
   */
  readonly endUserId: string | null;
  /** The groups of the end user. A change of a group counts within a second. */
  readonly groups: readonly string[];
  /** Whether the request of an application, or a browser token, names the groups, instead of those that the end user has. */
  readonly namesGroups?: boolean | undefined;
  /**
   * `all`: an application or an administrator, who reads every document of the tenant. `granted`: only what the end user,
   * the groups, or everyone may read.
   */
  readonly reach: 'all' | 'granted';
  /** Bound of a browser token: the documents that it is for. Set if the request was made with a browser token. */
  readonly token?: DocumentBound | undefined;
  /** What a token may ask for; undefined: what the permissions allow. */
  readonly policy?: TokenPolicy | undefined;
  /** Id of the browser token, whose rate is limited apart from that of its key. */
  readonly tokenId?: string | undefined;
  /** Id of the administrator's key that made the browser token for another key. */
  readonly makerId?: string | undefined;
  /** Private things of persons that a request of an administrator touched, for the audit log; undefined outside a request. */
  readonly touched?: Touched[] | undefined;
  /** Set if the request was made with an access token of the identity provider, instead of a key. */
  readonly lent?: LentRights | undefined;
  /** What the key may use; undefined: what the settings allow. */
  readonly allowance?: KeyAllowance | undefined;
}

/** A private thing of a person that the request of an administrator read or changed. */
export interface Touched {
  readonly kind: 'document' | 'talk';
  readonly id: string;
  readonly endUserId: string;
}

/** The rights of an access token, which end with it. */
export interface LentRights {
  /** The account at the provider. */
  readonly subject: string;
  readonly name: string;
  /** The groups that the provider names. */
  readonly groups: readonly string[];
  /** In seconds since 1970. */
  readonly expiresAt: number;
}

/** What a key may use instead of what the settings allow. null: as in the settings. */
export interface KeyAllowance {
  readonly quotas: Quotas | null;
  /** Models besides the configured one. */
  readonly models: readonly string[] | null;
  /** Tokens of the largest answer. */
  readonly maxAnswerTokens: number | null;
}

export interface DocumentBound {
  /**
   * Normalised path of a folder. The token is also valid for its descendants. null if the token is valid for every
   * folder.
   */
  readonly folder: string | null;
  /** Metadata filter as JSON; null if the token is valid for every document. */
  readonly filter: string | null;
}

/** Returns the scope of a key with its implied permissions. */
export function scopeOf(
  appId: string,
  granted: readonly Permission[],
  keyId: string,
  {
    shards = 1,
    endUserId = null,
    groups = [],
    namesGroups,
    reach = endUserId === null ? 'all' : 'granted',
    token,
    policy,
    tokenId,
    makerId,
    lent,
    allowance,
  }: Partial<Omit<Scope, 'appId' | 'permissions' | 'keyId'>> = {},
): Scope {
  const permissions = new Set(granted.includes('admin') ? PERMISSIONS : granted);
  return {
    appId,
    shards,
    permissions,
    keyId,
    endUserId,
    groups,
    namesGroups,
    reach,
    token,
    policy,
    tokenId,
    makerId,
    lent,
    allowance,
  };
}

/** Returns the scope of the service itself, for a check that must not depend on what the caller may read. */
export function wholeTenant(scope: Scope): Scope {
  return { ...scope, endUserId: null, groups: [], reach: 'all', token: undefined };
}

/** Returns the scope of somebody in the tenant whom no access list names, and who reads what everyone may read. */
export function anybodyIn(scope: Scope): Scope {
  return { ...scope, endUserId: null, groups: [], reach: 'granted', token: undefined };
}

/**
 * Tells whether the caller is an operator: an administrator of the default tenant, who creates and manages the other
 * tenants. An administrator with a person, who was invited, is none: this person reads only what people may read.
 */
export function isOperator({ appId, permissions, reach }: Scope): boolean {
  return appId === DEFAULT_TENANT && permissions.has('admin') && reach === 'all';
}

/**
 * Checks that the caller may hand out what reads every document of the tenant, or end all keys of the tenant.
 * @throws Forbidden for a caller who acts for a person
 */
export function requireFullReach({ reach }: Pick<Scope, 'reach'>): void {
  if (reach === 'all') return;
  throw new Forbidden(
    'Only an admin key without an end user may do this: the result would read every document of the application',
  );
}

/**
 * Returns the tenant that an administrator acts on: their own, or any tenant for an operator.
 * @param appId id of the tenant; null for the administrator's own tenant
 * @throws Forbidden if the caller may not act on the named tenant, whether or not it exists.
 */
export function administered(scope: Scope, appId: string | null): string {
  if (appId === null || appId === scope.appId) return scope.appId;
  if (isOperator(scope)) return appId;
  throw new Forbidden('Only an admin key of the default tenant without an end user may act on other tenants');
}

export function isPermission(value: unknown): value is Permission {
  return PERMISSIONS.some((permission) => permission === value);
}

/**
 * Separates the tenant's id from the shard number in `app_id`. A constraint of the table `apps` rejects tenant ids and
 * names that contain this character. The `app_id` of shard 0 is the tenant's id alone; most tenants have only this
 * shard. A cluster distributes tenant shards over its nodes in the same way as tenants.
 *
 * The id of a document decides its shard, which holds all rows of the document. A statement for one document runs on
 * the document's shard. A statement for many documents runs on all shards. Keys, folders, chats, idempotency keys,
 * limits and logs belong to the whole tenant.
 */
const SEPARATOR = '\u001f';

export const MAX_SHARDS = 64;

/** The fields of a tenant that determine its shards. */
type Sharded = Pick<Scope, 'appId' | 'shards'>;

/** Returns the `app_id` of each shard, the tenant's own id first. */
export function shardIds({ appId, shards }: Sharded): string[] {
  return Array.from({ length: shards }, (_, number) => idOf(appId, number));
}

export function tenantOf(appId: string): string {
  const [tenant = ''] = appId.split(SEPARATOR, 1);
  return tenant;
}

export function shardsOf(scope: Scope): Scope[] {
  return shardIds(scope).map((appId) => ({ ...scope, appId, shards: 1 }));
}

/**
 * Returns the scope of the shard of a document, whether or not the document exists.
 * @param documentId in upper or lower case
 */
export function shardOf(scope: Scope, documentId: string): Scope {
  if (scope.shards === 1) return scope;
  return { ...scope, appId: idOf(scope.appId, hash32(documentId.toLowerCase()) % scope.shards), shards: 1 };
}

/** Groups items by the shard of their document. Omits shards without items. */
export function byShard<T>(
  scope: Scope,
  items: readonly T[],
  documentId: (item: T) => string,
): (readonly [shard: Scope, items: T[]])[] {
  const shards = new Map<string, readonly [Scope, T[]]>();
  for (const item of items) {
    const shard = shardOf(scope, documentId(item));
    const known = shards.get(shard.appId);
    if (known === undefined) shards.set(shard.appId, [shard, [item]]);
    else known[1].push(item);
  }
  return [...shards.values()];
}

/** Validates the id or name of a tenant. @throws Invalid when it contains the separator. */
export function tenantText(value: unknown, loc: Location): string {
  const text = value as string;
  if (text.includes(SEPARATOR)) throw Invalid.at(loc, 'Value error, must not contain U+001F');
  return text;
}

function idOf(appId: string, shard: number): string {
  return shard === 0 ? appId : `${appId}${SEPARATOR}${shard}`;
}
