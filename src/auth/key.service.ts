import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { Conflict, NotFound } from '../errors/index.js';
import { signApiKey } from './api-key.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { KeyRepository } from './key.repository.js';
import { requireFullReach, type KeyAllowance, type Permission, type Scope } from './scope.js';
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
  readonly allowance?: KeyAllowance;
}

export interface IssuedKey {
  readonly stored: ApiKeyEntity;
  /** The key itself: shown to its owner once, never stored. */
  readonly token: string;
}

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
    { appId, name, permissions, endUserId = null, networks = null, lifetimeSeconds, allowance }: NewKey,
    manager?: EntityManager,
  ): Promise<IssuedKey> {
    const expiresAt = expiryAfter(lifetimeSeconds);
    const id = randomUUID();
    const key = { appId, id, permissions, endUserId, expiresAt };
    const token = await signApiKey(key, this.secret.forApiKeys());
    return { stored: await this.keys.insert({ ...key, name, networks, ...allowance }, manager), token };
  }

  /**
   * Issues a key for an administrator.
   * @throws Forbidden if the caller acts for a person and the key would act for nobody, and so read everything; Conflict
   * when the tenant is being removed.
   */
  async create(scope: Scope, key: NewKey): Promise<IssuedKey> {
    if ((key.endUserId ?? null) === null) requireFullReach(scope);
    return this.issue(key);
  }

  async list(scope: Pick<Scope, 'appId'>): Promise<ApiKeyEntity[]> {
    return this.keys.list(scope.appId);
  }

  /**
   * Revokes a key.
   * @param by the caller; null for a command of the operator
   * @throws NotFound for an unknown key and for a key of another tenant; Conflict if a person would revoke the last
   *   admin key without a person.
   */
  async revoke({ appId }: Pick<Scope, 'appId'>, id: string, by: Scope | null = null): Promise<void> {
    const sparesLast = by !== null && by.reach !== 'all';
    const outcome = isUuid(id) ? await this.keys.revoke(appId, id, sparesLast) : 'unknown';
    if (outcome === 'unknown') throw new NotFound('Key not found');
    if (outcome === 'spared') {
      throw new Conflict(
        'This is the last admin key without an end user: only its holder, or the operator on the server with lectern keys revoke, can end it',
      );
    }
  }
}
