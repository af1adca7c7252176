import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { run, type Queryable } from '../database/run.js';
import { Unavailable } from '../errors/index.js';
import { Cached } from '../request/cached.js';
import { tenantOf } from './scope.js';

/** How long a look into the database is used, in milliseconds. */
const TTL_MS = 1_000;

const RETRY_SECONDS = 60;

export const RESTORE_REMEDY =
  'run "lectern restore" again with the same export, which goes on where it stopped';

/** Returns the tenants into which a restore has begun and not ended. */
export async function tenantsBeingRestored(database: Queryable): Promise<Set<string>> {
  const rows = await run<{ appId: string }>(
    database,
    sql`select t.key as "appId" from service_state s cross join lateral jsonb_each(s.value -> 'tenants') t
        where s.name like 'restore:%'`,
  );
  return new Set(rows.map(({ appId }) => appId));
}

/** Keeps requests away from tenants whose restore is not finished: their documents and keys are incomplete. */
@Injectable()
export class UnfinishedRestores {
  private readonly tenants = new Cached(TTL_MS, () => tenantsBeingRestored(this.dataSource));

  constructor(private readonly dataSource: DataSource) {}

  /** @throws Unavailable if a restore into the tenant is not finished */
  async requireFinished(appId: string): Promise<void> {
    if (!(await this.tenants.get()).has(tenantOf(appId))) return;
    throw new Unavailable(
      `The restore into this application is not finished. If it was interrupted, ${RESTORE_REMEDY}`,
      RETRY_SECONDS,
    );
  }
}
