import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql from 'sql-template-tag';
import { run, type Queryable } from '../database/run.js';
import type { Permission } from './scope.js';

/** A key as it is kept: everything but the key itself, which only its owner has. */
export interface StoredKey {
  readonly appId: string;
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

const COLUMNS = sql`app_id as "appId", jti as id, name, permissions, created_at as "createdAt",
  expires_at as "expiresAt", revoked_at as "revokedAt"`;

/** Every statement over `api_keys`. */
@Injectable()
export class KeyRepository {
  constructor(private readonly dataSource: DataSource) {}

  async isLive(appId: string, id: string): Promise<boolean> {
    const rows = await run<object>(
      this.dataSource,
      sql`select 1 as live from api_keys
          where app_id = ${appId} and jti = ${id} and revoked_at is null
            and (expires_at is null or expires_at > now())`,
    );
    return rows.length > 0;
  }

  async list(appId: string): Promise<StoredKey[]> {
    return run<StoredKey>(
      this.dataSource,
      sql`select ${COLUMNS} from api_keys where app_id = ${appId} order by created_at desc, jti`,
    );
  }

  /** @returns whether there was such a key; revoking one again changes nothing. */
  async revoke(appId: string, id: string): Promise<boolean> {
    const rows = await run<object>(
      this.dataSource,
      sql`update api_keys set revoked_at = coalesce(revoked_at, now())
          where app_id = ${appId} and jti = ${id} returning jti`,
    );
    return rows.length > 0;
  }

  /** Stores a key, and its tenant when that is new. */
  async insert(
    key: Pick<StoredKey, 'appId' | 'id' | 'name' | 'permissions' | 'expiresAt'>,
    database: Queryable = this.dataSource,
  ): Promise<StoredKey> {
    await this.addTenant(key.appId, database);
    const [stored] = await run<StoredKey>(
      database,
      sql`insert into api_keys (app_id, jti, name, permissions, expires_at)
          values (${key.appId}, ${key.id}, ${key.name}, ${key.permissions}, ${key.expiresAt})
          returning ${COLUMNS}`,
    );
    if (stored === undefined) throw new Error('insert into api_keys returned no row');
    return stored;
  }

  async addTenant(appId: string, database: Queryable = this.dataSource): Promise<void> {
    await run(
      database,
      sql`insert into apps (app_id, name) values (${appId}, ${appId}) on conflict (app_id) do nothing`,
    );
  }

  async hasAny(database: Queryable): Promise<boolean> {
    return (await run<object>(database, sql`select 1 as one from api_keys limit 1`)).length > 0;
  }
}
