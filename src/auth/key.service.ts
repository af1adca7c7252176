import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { NotFound } from '../errors/index.js';
import { signApiKey } from './api-key.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { KeyRepository } from './key.repository.js';
import type { Permission, Scope } from './scope.js';
import { SigningSecret } from './signing-secret.js';

/** Default lifetime of a key: ten years. */
const DEFAULT_LIFETIME_SECONDS = 10 * 365 * 86_400;

/**
 * Returns the time at which a key with this lifetime expires. The time is a whole number of seconds, like the claim
 * `exp`.
 */
export function expiryAfter(seconds = DEFAULT_LIFETIME_SECONDS): Date {
  return new Date((Math.floor(Date.now() / 1_000) + seconds) * 1_000);
}

export interface NewKey {
  readonly appId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** The end user that the key belongs to; absent for a key of an application or an administrator. */
  readonly endUserId?: string | null;
  /** Addresses and CIDR ranges of the clients that may use the key. If it is null or absent, every client may. */
  readonly networks?: readonly string[] | null;
  readonly lifetimeSeconds?: number | undefined;
}

export interface IssuedKey {
  readonly stored: ApiKeyEntity;
  /** The key itself: shown to its owner once, never stored. */
  readonly token: string;
}

/** Issues, lists and revokes API keys. */
@Injectable()
export class KeyService {
  constructor(
    private readonly keys: KeyRepository,
    private readonly secret: SigningSecret,
  ) {}

  /**
   * @param manager manager of an open transaction; if it is absent, the insert runs in a new transaction
   * @throws Conflict when the tenant is being removed.
   */
  async issue(
    { appId, name, permissions, endUserId = null, networks = null, lifetimeSeconds }: NewKey,
    manager?: EntityManager,
  ): Promise<IssuedKey> {
    const expiresAt = expiryAfter(lifetimeSeconds);
    const id = randomUUID();
    const key = { appId, id, permissions, endUserId, expiresAt };
    const token = await signApiKey(key, this.secret.forApiKeys());
    return { stored: await this.keys.insert({ ...key, name, networks }, manager), token };
  }

  async list(scope: Pick<Scope, 'appId'>): Promise<ApiKeyEntity[]> {
    return this.keys.list(scope.appId);
  }

  /** @throws NotFound for an unknown key and for a key of another tenant. */
  async revoke(scope: Pick<Scope, 'appId'>, id: string): Promise<void> {
    if (!isUuid(id) || !(await this.keys.revoke(scope.appId, id))) throw new NotFound('Key not found');
  }
}
