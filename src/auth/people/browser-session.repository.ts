import { Injectable } from '@nestjs/common';
import sql, { type Sql } from 'sql-template-tag';
import { DataSource, type EntityManager } from 'typeorm';
import { run } from '../../database/run.js';
import type { KeyReference } from '../api-key.js';
import { isOfAccount, WORKS } from '../key.repository.js';
import { BrowserSessionEntity } from './browser-session.entity.js';

/** Browsers that may be signed in with one key; the oldest are signed out. */
const MAX_SESSIONS = 50;

export type NewSession = Pick<
  BrowserSessionEntity,
  'appId' | 'sessionId' | 'keyId' | 'secretHash' | 'device' | 'renewal'
> & {
  /** null: as long as the key. */
  readonly lifetimeSeconds: number | null;
};

export interface LiveSession {
  readonly keyId: string;
  readonly renewal: string | null;
  /** Seconds since the identity provider was asked; null: it is not asked. */
  readonly uncheckedSeconds: number | null;
}

/** A signed-in browser as its person sees it. */
export interface Device {
  readonly id: string;
  readonly keyId: string;
  readonly device: string;
  readonly createdAt: Date;
}

/**
 * SQL condition: a session may act with a key. The key of an account at an identity provider or a proxy works only while
 * that lets the person in, so a session of such a key needs tokens with which the provider is asked.
 */
function isChecked(appId: string, key: Sql, renewal: Sql): Sql {
  return sql`(${renewal} is not null or not ${isOfAccount(appId, key)})`;
}

/** Stores the browsers in which people are signed in, and links to further ones. */
@Injectable()
export class BrowserSessionRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns false if the key does not work, or only with tokens of a provider, or the session exists already */
  async add({
    appId,
    sessionId,
    keyId,
    secretHash,
    device,
    renewal,
    lifetimeSeconds,
  }: NewSession): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      await this.tidy({ appId, id: keyId }, manager);
      const made = await run(
        manager,
        sql`insert into browser_sessions (app_id, session_id, key_id, secret_hash, device, renewal, expires_at, checked_at)
            select ${appId}, ${sessionId}::uuid, k.jti, ${secretHash}, ${device}, ${renewal},
              least(k.expires_at, coalesce(now() + make_interval(secs => ${lifetimeSeconds}::float8), 'infinity')),
              case when ${renewal}::text is null then null else now() end
            from api_keys k where k.app_id = ${appId} and k.jti = ${keyId}::uuid and ${WORKS}
              and ${isChecked(appId, sql`k.jti`, sql`${renewal}::text`)}
            on conflict do nothing returning session_id`,
      );
      return made.length > 0;
    });
  }

  async find(appId: string, sessionId: string, secretHash: Buffer): Promise<LiveSession | undefined> {
    const [session] = await run<LiveSession>(
      this.dataSource,
      sql`select s.key_id as "keyId", s.renewal,
            extract(epoch from now() - s.checked_at)::float8 as "uncheckedSeconds"
          from browser_sessions s
          where s.app_id = ${appId} and s.session_id = ${sessionId}::uuid and s.secret_hash = ${secretHash}
            and s.expires_at > now() and ${isChecked(appId, sql`s.key_id`, sql`s.renewal`)}`,
    );
    return session;
  }

  /** Claims the next check of a session, so that one process makes it. @returns the tokens; undefined: another process */
  async claimCheck(appId: string, sessionId: string, afterSeconds: number): Promise<string | undefined> {
    const [claimed] = await run<{ renewal: string }>(
      this.dataSource,
      sql`update browser_sessions set checked_at = now()
          where app_id = ${appId} and session_id = ${sessionId}::uuid
            and checked_at <= now() - make_interval(secs => ${afterSeconds}) returning renewal`,
    );
    return claimed?.renewal;
  }

  /** Makes the next request of each browser of a key ask the identity provider. */
  async checkSoon({ appId, id }: KeyReference): Promise<void> {
    await run(
      this.dataSource,
      sql`update browser_sessions set checked_at = 'epoch'
          where app_id = ${appId} and key_id = ${id}::uuid and checked_at is not null`,
    );
  }

  async setRenewal(appId: string, sessionId: string, renewal: string): Promise<void> {
    await this.dataSource.manager.update(BrowserSessionEntity, { appId, sessionId }, { renewal });
  }

  /** @returns the tokens of the session; undefined if it has ended before, or has none */
  async end(appId: string, sessionId: string): Promise<string | undefined> {
    const [ended] = await run<{ renewal: string | null }>(
      this.dataSource,
      sql`delete from browser_sessions where app_id = ${appId} and session_id = ${sessionId}::uuid returning renewal`,
    );
    return ended?.renewal ?? undefined;
  }

  /** Returns the browsers of a person, or those of a key without a person. */
  async devicesOf(appId: string, { person, keyId }: DeviceOwner): Promise<Device[]> {
    return run<Device>(
      this.dataSource,
      sql`select s.session_id as id, s.key_id as "keyId", s.device, s.created_at as "createdAt"
          from browser_sessions s join api_keys k on k.jti = s.key_id
          where s.app_id = ${appId} and k.app_id = ${appId} and s.expires_at > now() and ${WORKS}
            and ${isChecked(appId, sql`s.key_id`, sql`s.renewal`)}
            and case when ${person}::text is null then k.jti::text = ${keyId} else k.end_user_id = ${person} end
          order by s.created_at desc, s.session_id`,
    );
  }

  /** Stores the secret of a link to another device. It replaces an earlier link. */
  async setLink({ appId, id }: KeyReference, secretHash: Buffer, seconds: number): Promise<Date | undefined> {
    const [made] = await run<{ expiresAt: Date }>(
      this.dataSource,
      sql`insert into device_links (app_id, key_id, secret_hash, expires_at)
          select ${appId}, k.jti, ${secretHash}, now() + make_interval(secs => ${seconds})
          from api_keys k where k.app_id = ${appId} and k.jti = ${id}::uuid and ${WORKS}
          on conflict (app_id, key_id) do update
            set secret_hash = excluded.secret_hash, expires_at = excluded.expires_at
          returning expires_at as "expiresAt"`,
    );
    return made?.expiresAt;
  }

  /** Uses a link up. @returns false if the link is unknown, used, expired or replaced */
  async takeLink({ appId, id }: KeyReference, secretHash: Buffer): Promise<boolean> {
    const taken = await run(
      this.dataSource,
      sql`delete from device_links
          where app_id = ${appId} and key_id = ${id}::uuid and secret_hash = ${secretHash} and expires_at > now()
          returning key_id`,
    );
    return taken.length > 0;
  }

  private async tidy({ appId, id }: KeyReference, manager: EntityManager): Promise<void> {
    await run(
      manager,
      sql`delete from browser_sessions where app_id = ${appId} and (expires_at <= now() or session_id in (
            select s.session_id from browser_sessions s where s.app_id = ${appId} and s.key_id = ${id}::uuid
            order by s.created_at desc offset ${MAX_SESSIONS - 1}))`,
    );
  }
}

export interface DeviceOwner {
  readonly person: string | null;
  readonly keyId: string;
}
