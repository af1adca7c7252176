import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import sql, { type Sql } from 'sql-template-tag';
import { DataSource, type EntityManager, MoreThan } from 'typeorm';
import { run } from '../../database/run.js';
import { AppEntity } from '../app.entity.js';
import type { KeyReference } from '../api-key.js';
import { KeyRepository, WORKS } from '../key.repository.js';
import type { Permission } from '../scope.js';
import type { Identity } from './identity.types.js';
import { ProviderAccountEntity } from './provider-account.entity.js';

/** What the database knows of a person who comes with an access token. */
export interface Member {
  readonly shards: number;
  readonly person: string;
  /** The groups of the person in the tenant, without those that the provider names. */
  readonly groups: readonly string[];
  /** See {@link Account.role}. */
  readonly role: readonly Permission[] | null;
  /** Whether an administrator ended the person's access. */
  readonly isEnded: boolean;
  /** Whether another account of the same provider has the person. */
  readonly isOfAnother: boolean;
}

/** An account and the state of its key. */
export interface Account {
  readonly keyId: string;
  readonly groups: readonly string[];
  readonly person: string;
  readonly name: string;
  /** See {@link Identity.detail}. */
  readonly detail: string | null;
  readonly permissions: readonly Permission[];
  /** Whether the provider made the person an administrator. */
  readonly isAdmin: boolean;
  /** The permissions of the invitation, or those that an administrator gave since then; null: nobody invited the person. */
  readonly role: readonly Permission[] | null;
  readonly isEnded: boolean;
  /** Whether an administrator gave the person a key after ending the account. */
  readonly isInvitedAgain: boolean;
}

/** An account as it was when its person came last. */
export type KnownAccount = Pick<
  Account,
  'groups' | 'isAdmin' | 'role' | 'name' | 'detail' | 'permissions' | 'person'
> &
  Pick<Identity, 'subject'>;

/** The working keys of a person. */
export interface PersonKeys {
  readonly any: boolean;
  /** Whether one of them is that of another account of the same provider. */
  readonly isOfAnother: boolean;
  /** Whether an administrator ended the access of the person, and made no key since then. */
  readonly isEnded: boolean;
  /** The permissions of all of them; null without a key. */
  readonly role: readonly Permission[] | null;
}

const ENDED = sql`(not (${WORKS}))`;

/** Stores which key the account of a person at an identity provider acts with. */
@Injectable()
export class PeopleRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly keys: KeyRepository,
  ) {}

  /** @returns undefined for a tenant that does not exist or is being removed */
  async memberOf({
    appId,
    subject,
    person,
  }: Pick<Identity, 'appId' | 'subject' | 'person'>): Promise<Member | undefined> {
    const [member] = await run<Member>(
      this.dataSource,
      sql`select a.shards, p.person,
            array(select m.group_id from group_members m
                  where m.app_id = ${appId} and m.end_user_id = p.person order by 1) as groups,
            case when p."hasAccount" then (
                   select o.role from provider_accounts o where o.app_id = ${appId} and o.subject = ${subject})
                 else ${roleOf(appId, sql`p.person`)} end as role,
            p."isEnded" or ${accessEnded(appId, sql`p.person`)} as "isEnded",
            not p."hasAccount" and ${isOfAnother(appId, subject, sql`p.person`)} as "isOfAnother"
          from apps a,
            lateral (select coalesce(min(k.end_user_id), ${person}) as person, count(*) > 0 as "hasAccount",
                       coalesce(bool_or(${ENDED}), false) as "isEnded"
                     from provider_accounts o join api_keys k on k.jti = o.key_id
                     where o.app_id = ${appId} and k.app_id = ${appId} and o.subject = ${subject}) p
          where a.app_id = ${appId} and a.shards > 0 and a.removing_since is null`,
    );
    return member;
  }

  /** Runs work that no other sign-in of a new person in the tenant interrupts. */
  async alone<T>(appId: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(async (manager) => {
      const lock = { mode: 'pessimistic_write' } as const;
      await manager.findOne(AppEntity, { where: { appId, shards: MoreThan(0) }, lock });
      return work(manager);
    });
  }

  async accountOf(
    { appId, subject }: Pick<Identity, 'appId' | 'subject'>,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<Account | undefined> {
    const [account] = await run<Account>(
      manager,
      sql`select o.key_id as "keyId", o.groups, k.end_user_id as person, k.name, k.permissions,
            o.is_admin as "isAdmin", o.role, o.detail, ${ENDED} as "isEnded",
            exists (select from api_keys i
                    where i.app_id = ${appId} and i.end_user_id = k.end_user_id and i.revoked_at is null
                      and i.jti <> k.jti and i.created_at > k.revoked_at) as "isInvitedAgain"
          from provider_accounts o join api_keys k on k.jti = o.key_id
          where o.app_id = ${appId} and k.app_id = ${appId} and o.subject = ${subject}`,
    );
    return account;
  }

  /** Tells what keys a person has, and whose they are. */
  async keysOf(
    { appId, subject, person }: Pick<Identity, 'appId' | 'subject' | 'person'>,
    manager: EntityManager,
  ): Promise<PersonKeys> {
    const of = sql`${person}::text`;
    const [found] = await run<Pick<PersonKeys, 'isOfAnother' | 'isEnded' | 'role'>>(
      manager,
      sql`select ${isOfAnother(appId, subject, of)} as "isOfAnother", ${accessEnded(appId, of)} as "isEnded",
            ${roleOf(appId, of)} as role`,
    );
    const { isOfAnother: isTaken = false, isEnded = false, role = null } = found ?? {};
    return { any: role !== null, isOfAnother: isTaken, isEnded, role };
  }

  /** Returns the ended accounts of a person. */
  endedAccounts(appId: string, person: string, manager: EntityManager): Promise<KnownAccount[]> {
    return this.accounts(appId, sql`k.end_user_id = ${person} and ${ENDED}`, manager);
  }

  /**
   * Gives all working accounts of a tenant other keys, while `revoke` ends all keys of the tenant. Sessions end with the
   * former keys, and nobody holds such a key, so the people sign in again with the role that they have.
   */
  async renew(appId: string, revoke: () => Promise<void>, manager: EntityManager): Promise<void> {
    const working = await this.accounts(appId, WORKS, manager);
    await revoke();
    for (const account of working) await this.addAccount({ appId, ...account }, account, manager);
  }

  private accounts(appId: string, condition: Sql, manager: EntityManager): Promise<KnownAccount[]> {
    return run(
      manager,
      sql`select o.subject, k.end_user_id as person, o.groups, o.is_admin as "isAdmin", o.role, o.detail, k.name,
            k.permissions
          from provider_accounts o join api_keys k on k.jti = o.key_id
          where o.app_id = ${appId} and k.app_id = ${appId} and ${condition}`,
    );
  }

  countAccounts(appId: string, manager: EntityManager): Promise<number> {
    return manager.countBy(ProviderAccountEntity, { appId });
  }

  /** Makes the key of an account. An earlier key of the account stays ended, and its sessions too. @returns the id of the key */
  async addAccount(
    { appId, subject, person, name, detail, groups, isAdmin }: Identity,
    { role, permissions }: Pick<Account, 'role' | 'permissions'>,
    manager: EntityManager,
  ): Promise<string> {
    const id = randomUUID();
    await this.keys.insert({ appId, id, name, permissions, endUserId: person, expiresAt: null }, manager);
    await run(
      manager,
      sql`insert into provider_accounts (app_id, subject, key_id, groups, is_admin, role, detail)
          values (${appId}, ${subject}, ${id}::uuid, ${groups}::text[], ${isAdmin}, ${role}::text[], ${detail})
          on conflict (app_id, subject) do update
            set key_id = excluded.key_id, groups = excluded.groups, is_admin = excluded.is_admin,
              role = excluded.role, detail = excluded.detail`,
    );
    return id;
  }

  /** Stores what the provider says now. A change of the role waits until the transaction ends. @returns the role */
  async update(
    { appId, subject, groups, isAdmin, detail }: Identity,
    manager: EntityManager,
  ): Promise<Account['role']> {
    const [account] = await run<Pick<Account, 'role'>>(
      manager,
      sql`update provider_accounts set groups = ${groups}::text[], is_admin = ${isAdmin}, detail = ${detail}
          where app_id = ${appId} and subject = ${subject} returning role`,
    );
    return account?.role ?? null;
  }

  async updateKey(
    { appId, id }: KeyReference,
    { name, permissions }: Pick<Account, 'name' | 'permissions'>,
    manager: EntityManager,
  ): Promise<void> {
    await run(
      manager,
      sql`update api_keys set name = ${name}, permissions = ${permissions}::text[]
          where app_id = ${appId} and jti = ${id}::uuid`,
    );
  }

  /**
   * Stores the role of a person's accounts; their keys must get it too.
   * @returns whether the provider makes the person an administrator, so that the role does not count
   */
  async setRole(
    appId: string,
    person: string,
    role: readonly Permission[],
    manager: EntityManager,
  ): Promise<{ readonly isAdmin: boolean }> {
    const accounts = await run<Pick<Account, 'isAdmin'>>(
      manager,
      sql`update provider_accounts o set role = ${role}::text[] from api_keys k
          where o.app_id = ${appId} and k.app_id = ${appId} and k.jti = o.key_id and k.end_user_id = ${person}
            and ${WORKS} returning o.is_admin as "isAdmin"`,
    );
    return { isAdmin: accounts.some(({ isAdmin }) => isAdmin) };
  }

  /** Returns the keys of a tenant that belong to accounts. */
  async accountKeys(appId: string): Promise<ReadonlySet<string>> {
    const rows = await this.dataSource.manager.find(ProviderAccountEntity, {
      select: { keyId: true },
      where: { appId },
    });
    return new Set(rows.map(({ keyId }) => keyId));
  }
}

/** Whether an administrator ended the access of a person, by whichever way the person signs in, and made no key since then. */
function accessEnded(appId: string, person: Sql): Sql {
  return sql`(select coalesce(max(k.access_ended_at) >= max(k.created_at), false) from api_keys k
    where k.app_id = ${appId} and k.end_user_id = ${person})`;
}

/**
 * Whether another account of the same provider has a person: the claim that names people named two by one identifier.
 * Accounts of a provider and of a proxy may be of one person, because both name people as the operator says.
 */
function isOfAnother(appId: string, subject: string, person: Sql): Sql {
  const issuer = subject.slice(0, subject.indexOf(' ') + 1);
  return sql`exists (select from provider_accounts o join api_keys k on k.jti = o.key_id
    where o.app_id = ${appId} and k.app_id = ${appId} and k.end_user_id = ${person} and ${WORKS}
      and o.subject <> ${subject} and starts_with(o.subject, ${issuer}))`;
}

/** The permissions of all working keys of a person, as the invitations gave them; null without a key. */
function roleOf(appId: string, person: Sql): Sql {
  return sql`(select array_agg(distinct given.permission) from api_keys k, unnest(k.permissions) as given(permission)
    where k.app_id = ${appId} and k.end_user_id = ${person} and ${WORKS})`;
}
