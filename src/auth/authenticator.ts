import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Unauthorized } from '../errors/index.js';
import { countLookup } from '../telemetry/metrics.js';
import { readApiKey } from './api-key.js';
import { KeyRepository } from './key.repository.js';
import { DEFAULT_TENANT, scopeOf, type Scope } from './scope.js';
import { SigningSecret } from './signing-secret.js';

/** How long the database's word on a key is believed: less than the second that revocation may take. */
export const LIVENESS_TTL_MS = 500;

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/** Tells who makes a request from its `Authorization` header. */
@Injectable()
export class Authenticator {
  private readonly liveness: LRUCache<string, { readonly live: boolean }, { appId: string; id: string }>;
  private readonly adminKey: Buffer | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly secret: SigningSecret,
    keys: KeyRepository,
  ) {
    this.adminKey = settings.ADMIN_KEY === undefined ? undefined : digest(settings.ADMIN_KEY);
    this.liveness = new LRUCache({
      max: 10_000,
      ttl: LIVENESS_TTL_MS,
      // Concurrent requests of one key share a look-up.
      fetchMethod: async (_key, _stale, { context }) => ({
        live: await keys.isLive(context.appId, context.id),
      }),
    });
  }

  /** @throws Unauthorized with the reason; never says more than whether this key works. */
  async authenticate(authorization: string | undefined): Promise<Scope> {
    if (this.settings.AUTH_MODE === 'none') return scopeOf(DEFAULT_TENANT, ['admin'], 'none');
    if (authorization === undefined) {
      throw new Unauthorized('No API key: send it as "Authorization: Bearer <API_KEY>"');
    }
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) {
      throw new Unauthorized('The Authorization header is malformed: expected "Bearer <API_KEY>"');
    }
    return this.identify(token);
  }

  /** Whose key it is. @throws Unauthorized with the reason. */
  async identify(token: string): Promise<Scope> {
    if (this.settings.AUTH_MODE === 'none') return scopeOf(DEFAULT_TENANT, ['admin'], 'none');
    return this.isAdminKey(token) ? scopeOf(DEFAULT_TENANT, ['admin'], 'admin-key') : this.scopeOfKey(token);
  }

  private async scopeOfKey(token: string): Promise<Scope> {
    const { appId, id, permissions } = await readApiKey(token, this.secret.forApiKeys());
    const entry = `${id} ${appId}`;
    countLookup('api_keys', this.liveness.has(entry));
    const known = await this.liveness.fetch(entry, { context: { appId, id } });
    if (known?.live !== true) throw new Unauthorized('The API key was revoked');
    return scopeOf(appId, permissions, id);
  }

  /** Compares digests, so that neither length nor content shows in the time it takes. */
  private isAdminKey(token: string): boolean {
    return this.adminKey !== undefined && timingSafeEqual(this.adminKey, digest(token));
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
