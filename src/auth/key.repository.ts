import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import sql, { raw, type Sql } from 'sql-template-tag';
import { IsNull, MoreThan, type EntityManager, type Repository } from 'typeorm';
import type { Owner } from '../access/principal.js';
import { run } from '../database/run.js';
import { Conflict } from '../errors/index.js';
import type { KeyReference } from './api-key.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { AppEntity } from './app.entity.js';
import type { KeyAllowance, Permission } from './scope.js';

export type NewApiKey = Pick<
  ApiKeyEntity,
  'appId' | 'id' | 'name' | 'permissions' | 'endUserId' | 'expiresAt'
> &
  Partial<Pick<ApiKeyEntity, 'networks' | 'quotas' | 'models' | 'maxAnswerTokens'>>;

/** Permissions, end user, groups and networks of a key, and the number of shards of its tenant. */
export interface KeyGrant {
  readonly permissions: readonly Permission[];
  readonly endUserId: string | null;
  /** The groups of the end user. */
  readonly groups: readonly string[];
  readonly networks: readonly string[] | null;
  readonly shards: number;
  readonly expiresAt: Date | null;
  readonly allowance: KeyAllowance;
  /** Whether the key is that of an account at an identity provider. Nobody holds such a key. */
  readonly isAccount: boolean;
}

/** What a link opens. */
export interface OpenedKey {
  readonly name: string;
  readonly endUserId: string | null;
  readonly permissions: readonly Permission[];
  readonly expiresAt: Date;
}

/** SQL condition: the key `k` is not revoked and, by the clock of the database, has not expired. Never null. */
export const WORKS = raw('k.revoked_at is null and (k.expires_at is null or k.expires_at > now())');

/** SQL condition: a key is that of an account at an identity provider or a proxy. @param id the id of the key */
export function isOfAccount(appId: string, id: Sql): Sql {
  return sql`exists (select from provider_accounts o where o.app_id = ${appId} and o.key_id = ${id})`;
}

/** Stores API keys. The first key of a tenant also creates the tenant. */
@Injectable()
export class KeyRepository {
  constructor(@InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>) {}

  /**
   * Returns the grant of a key. Returns undefined if the key is unknown, revoked, or expired by the clock of the
   * database.
   * @param person the end user for whom a token of a key without an end user acts; null: nobody
   */
  async grantOf({ appId, id }: KeyReference, person: string | null = null): Promise<KeyGrant | undefined> {
    const [live] = await run<KeyGrant>(
      this.keys.manager,
      sql`select k.permissions, k.end_user_id as "endUserId", k.networks, a.shards,
            array(select m.group_id from group_members m
                  where m.app_id = ${appId} and m.end_user_id = coalesce(k.end_user_id, ${person})
                  union select unnest(o.groups) from provider_accounts o
                  where o.app_id = ${appId} and o.key_id = k.jti order by 1) as groups,
            ${isOfAccount(appId, sql`k.jti`)} as "isAccount",
            k.expires_at as "expiresAt",
            jsonb_build_object('quotas', k.quotas, 'models', k.models, 'maxAnswerTokens', k.max_answer_tokens) as allowance
          from api_keys k join apps a on a.app_id = k.app_id
          where k.app_id = ${appId} and k.jti = ${id}::uuid and ${WORKS}`,
    );
    return live;
  }

  /** Whether a tenant exists and is not being removed. */
  hasTenant(appId: string): Promise<boolean> {
    return this.keys.manager.existsBy(AppEntity, { appId, shards: MoreThan(0), removingSince: IsNull() });
  }

  /** @param id a key id of a scope, which need not be that of a row */
  async find(appId: string, id: string): Promise<{ name: string; isAccount: boolean } | null> {
    const [key] = await run<{ name: string; isAccount: boolean }>(
      this.keys.manager,
      sql`select k.name, ${isOfAccount(appId, sql`k.jti`)} as "isAccount"
          from api_keys k where k.app_id = ${appId} and k.jti::text = ${id}`,
    );
    return key ?? null;
  }

  async list(appId: string): Promise<ApiKeyEntity[]> {
    return this.keys.find({ where: { appId }, order: { createdAt: 'DESC', id: 'ASC' } });
  }

  /**
   * Revokes a key. Revoking it again changes nothing.
   * @param sparesLast whether to keep the last working admin key without a person
   */
  async revoke(appId: string, id: string, sparesLast = false): Promise<'revoked' | 'spared' | 'unknown'> {
    return this.keys.manager.transaction(async (manager) => {
      if (sparesLast) {
        // Two revocations of the last two keys wait for each other here.
        const lock = { mode: 'pessimistic_write' } as const;
        await manager.findOne(AppEntity, { where: { appId, shards: MoreThan(0) }, lock });
        if (await isLastOperator(manager, { appId, id })) return 'spared';
      }
      const revokedAt = () => 'coalesce(revoked_at, now())';
      const { affected } = await manager.update(ApiKeyEntity, { appId, id }, { revokedAt });
      return affected === 1 ? 'revoked' : 'unknown';
    });
  }

  /**
   * Stores the secret of a sign-in link. It replaces the secret of an earlier link.
   * @returns false if the key does not exist or no longer works
   */
  async setSignIn(appId: string, id: string, secret: Buffer, expiresAt: Date): Promise<boolean> {
    const rows = await run(
      this.keys.manager,
      sql`update api_keys k set sign_in_hash = ${secret}, sign_in_expires_at = ${expiresAt.toISOString()}::timestamptz
          where k.app_id = ${appId} and k.jti = ${id}::uuid and ${WORKS} returning k.jti`,
    );
    return rows.length > 0;
  }

  /** Returns what a valid link opens: a sign-in link, or one to another device. Does not use the link up. */
  async findSignIn({ appId, id }: KeyReference, secret: Buffer): Promise<OpenedKey | undefined> {
    const [found] = await run<OpenedKey>(
      this.keys.manager,
      sql`select k.name, k.end_user_id as "endUserId", k.permissions,
            case when k.sign_in_hash = ${secret} then k.sign_in_expires_at else d.expires_at end as "expiresAt"
          from api_keys k left join device_links d on d.app_id = ${appId} and d.key_id = k.jti
          where k.app_id = ${appId} and k.jti = ${id}::uuid and ${WORKS}
            and (k.sign_in_hash = ${secret} and k.sign_in_expires_at > now()
                 or d.secret_hash = ${secret} and d.expires_at > now())`,
    );
    return found;
  }

  /** Consumes a sign-in link. @returns the key of the link; null if the link is unknown, used, expired or replaced */
  async takeSignIn({ appId, id }: KeyReference, secret: Buffer): Promise<ApiKeyEntity | null> {
    const taken = await run(
      this.keys.manager,
      sql`update api_keys k set sign_in_hash = null, sign_in_expires_at = null
          where k.app_id = ${appId} and k.jti = ${id}::uuid and k.sign_in_hash = ${secret}
            and k.sign_in_expires_at > now() and ${WORKS} returning k.jti`,
    );
    return taken.length === 0 ? null : this.keys.findOneBy({ appId, id });
  }

  /** Revokes the keys of a person. Revoking them again changes nothing. @returns the number of keys of the person */
  async revokeOf(appId: string, person: string, manager: EntityManager): Promise<number> {
    const { affected } = await manager.update(
      ApiKeyEntity,
      { appId, endUserId: person },
      { revokedAt: () => 'coalesce(revoked_at, now())', accessEndedAt: () => 'now()' },
    );
    return affected ?? 0;
  }

  /**
   * Changes the permissions of the working keys of a person, and the name of those that are named as the person. Keys
   * that a program holds keep at most the permissions that they were made with.
   * @returns the number of working keys
   */
  async change(
    appId: string,
    person: { readonly id: string; readonly name: string },
    {
      name,
      permissions,
    }: { readonly name: string | null; readonly permissions: readonly Permission[] | null },
    manager: EntityManager,
  ): Promise<number> {
    const changed = await run(
      manager,
      sql`update api_keys k
          set name = case when k.name = ${person.name} then coalesce(${name}, k.name) else k.name end,
            permissions = coalesce(${permissions}::text[], k.permissions)
          where k.app_id = ${appId} and k.end_user_id = ${person.id} and ${WORKS} returning k.jti`,
    );
    return changed.length;
  }

  /** Whether an owner had keys, none of which works any more: the person of `user:ID`, or the key of `key:ID`. */
  async hasLostAccess(appId: string, owner: Owner): Promise<boolean> {
    if (owner === null) return false;
    const id = owner.slice(owner.indexOf(':') + 1);
    const owns = owner.startsWith('user:') ? sql`k.end_user_id = ${id}` : sql`k.jti::text = ${id}`;
    const [row] = await run<{ ended: boolean }>(
      this.keys.manager,
      sql`select count(*) > 0 and not bool_or(${WORKS}) as ended from api_keys k
          where k.app_id = ${appId} and ${owns}`,
    );
    return row?.ended === true;
  }

  /** Stores when keys were last used. @param uses the time of the last use by key id; unknown keys are ignored */
  async used(appId: string, uses: ReadonlyMap<string, Date>): Promise<void> {
    await run(
      this.keys.manager,
      sql`update api_keys k set last_used_at = greatest(k.last_used_at, u.at)
          from unnest(${[...uses.keys()]}::text[], ${[...uses.values()].map((at) => at.toISOString())}::timestamptz[]) as u(id, at)
          where k.app_id = ${appId} and k.jti::text = u.id`,
    );
  }

  async revokeAll(appId: string, manager: EntityManager): Promise<void> {
    await manager.update(ApiKeyEntity, { appId, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
  }

  async deleteAll(appId: string, manager: EntityManager): Promise<void> {
    await manager.delete(ApiKeyEntity, { appId });
  }

  /**
   * Inserts a key, and its tenant if the tenant is new.
   * @throws Conflict if the tenant is being removed, or if the id of a new tenant is the name of another tenant.
   */
  async insert(key: NewApiKey, manager?: EntityManager): Promise<ApiKeyEntity> {
    if (manager === undefined) {
      return this.keys.manager.transaction((transaction) => this.insert(key, transaction));
    }
    await this.addTenant(key.appId, manager);
    // This lock makes a new key wait for a rotation or removal of its tenant, and vice versa.
    const tenant = await manager.findOne(AppEntity, {
      where: { appId: key.appId, shards: MoreThan(0) },
      lock: { mode: 'for_key_share' },
    });
    if (tenant === null) throw new Conflict('Another application has this name');
    if (tenant.removingSince !== null) throw new Conflict('The application is being deleted');
    const stored = manager.create(ApiKeyEntity, {
      networks: null,
      quotas: null,
      models: null,
      maxAnswerTokens: null,
      ...key,
      revokedAt: null,
      accessEndedAt: null,
      lastUsedAt: null,
      signInHash: null,
      signInExpiresAt: null,
    });
    await manager.insert(ApiKeyEntity, stored);
    return stored;
  }

  /**
   * Inserts the tenant unless it exists. Reads first, because every write to `apps` involves all nodes of a cluster.
   */
  async addTenant(appId: string, manager: EntityManager = this.keys.manager): Promise<void> {
    if (await manager.existsBy(AppEntity, { appId })) return;
    await manager
      .createQueryBuilder()
      .insert()
      .into(AppEntity)
      .values({ appId, name: appId })
      .orIgnore()
      .updateEntity(false)
      .execute();
  }

  async hasAny(manager: EntityManager): Promise<boolean> {
    return manager.exists(ApiKeyEntity);
  }
}

/** Whether a key is the last working admin key without a person. */
async function isLastOperator(manager: EntityManager, { appId, id }: KeyReference): Promise<boolean> {
  const rows = await run<{ id: string }>(
    manager,
    sql`select k.jti as id from api_keys k
        where k.app_id = ${appId} and k.end_user_id is null and 'admin' = any(k.permissions) and ${WORKS}
        limit 2`,
  );
  return rows.length === 1 && rows[0]?.id === id.toLowerCase();
}
