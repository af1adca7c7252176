import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import sql from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { AuditEntryEntity } from '../../src/auth/audit/audit-entry.entity.js';
import { AuditLog } from '../../src/auth/audit/audit-log.js';
import { DEFAULT_TENANT, shardIds } from '../../src/auth/scope.js';
import { inDataFolder } from '../../src/config/data-folder.js';
import type { Settings } from '../../src/config/settings.js';
import type { Entities } from '../../src/database/data-source.js';
import { requireMigrated } from '../../src/database/migrate.js';
import { connectDatabase } from '../../src/database/open-database.js';
import { run } from '../../src/database/run.js';
import { StartRefused } from '../../src/errors/index.js';
import { ObjectTombstones } from '../../src/ingestion/object-tombstones.js';
import type { ObjectStore } from '../../src/storage/object-store.js';
import { StoreOwnership } from '../../src/storage/store-ownership.js';
import { withStore } from '../with-store.js';
import { AUDIT_CHECKS } from './audit.js';
import { EXAMPLES, type Check, type CheckedTenant, type Tools } from './check.js';
import { DOCUMENT_CHECKS } from './documents.js';
import { FILE_CHECKS, STORE_CHECKS } from './files.js';
import { INDEX_CHECKS } from './indexes.js';
import { INTERRUPTED_CHECKS, QUEUE_CHECKS } from './queue.js';
import { Rebuild } from './rebuild.js';
import { REFERENCE_CHECKS } from './references.js';
import { countKept, discardKept } from './replaced-rows.js';
import { STATISTICS_CHECKS } from './statistics.js';
import { TENANT_CHECKS } from './tenants.js';
import { TEXT_CHECKS } from './texts.js';
import { MODEL_CHECKS, VECTOR_CHECKS } from './vectors.js';

export interface CheckReport extends Pick<Check, 'name' | 'rule' | 'remedy' | 'isRepairable' | 'isNote'> {
  /** Number of violations. */
  readonly count: number;
  readonly examples: readonly string[];
  /** Reason why the check could not run; null if it ran. */
  readonly failure: string | null;
}

/**
 * Maximum number of repair rounds. One round may not be enough, because a repair may uncover or cause violations that
 * another check finds.
 */
const ROUNDS = 4;

/** Seconds without a running job after which nothing processes the queued documents. */
const IDLE_SECONDS = 5;

const logger = new Logger('Doctor');

/**
 * Opens database and object store for {@link DeepCheck}. With PostgreSQL the service may run meanwhile.
 * @param appId id of the tenant to check; null checks the whole installation
 * @throws StartRefused if the tenant is unknown, the database is in use, or its schema is not migrated.
 */
export async function withDeepCheck<T>(
  settings: Settings,
  entities: Entities,
  appId: string | null,
  work: (deep: DeepCheck) => Promise<T>,
): Promise<T> {
  return withStore(settings, async (store) => {
    const database = await inDataFolder(settings, () =>
      connectDatabase({ ...settings, DATABASE_STATEMENT_TIMEOUT_MS: 0 }, entities),
    );
    try {
      await requireMigrated(database);
      const ownership = new StoreOwnership(settings, database, store);
      ownership.onModuleInit();
      const access = await ownership.compare();
      if (access.kind === 'foreign') throw new StartRefused(access.reason);
      const deep = new DeepCheck(database, store, settings, appId);
      if (appId !== null && (await deep.tenants()).length === 0) {
        throw new StartRefused(`There is no tenant "${appId}"`);
      }
      return await work(deep);
    } finally {
      await database.destroy();
    }
  });
}

/** Checks of a tenant shard, in the order of their repairs. */
const OF_TENANTS: readonly Check[] = [
  ...REFERENCE_CHECKS,
  ...QUEUE_CHECKS,
  ...DOCUMENT_CHECKS,
  ...TEXT_CHECKS,
  ...VECTOR_CHECKS,
  ...FILE_CHECKS,
  ...STATISTICS_CHECKS,
];

const OF_INSTALLATION: readonly Check[] = [
  ...TENANT_CHECKS,
  ...INDEX_CHECKS,
  ...INTERRUPTED_CHECKS,
  ...MODEL_CHECKS,
  ...AUDIT_CHECKS,
];

/** Checks every invariant of the stored data, and repairs violations. */
class DeepCheck {
  private readonly tools: Tools;

  constructor(
    private readonly dataSource: DataSource,
    store: ObjectStore,
    settings: Settings,
    private readonly appId: string | null,
  ) {
    this.tools = {
      dataSource,
      store,
      settings,
      rebuild: new Rebuild(dataSource, store),
      tombstones: new ObjectTombstones(settings, dataSource, store),
      tenants: () => this.tenants(),
    };
  }

  /** Runs all checks. @param onReport receives each result as soon as its check has ended */
  async look(onReport: (report: CheckReport) => void): Promise<CheckReport[]> {
    const reports: CheckReport[] = [];
    for (const [check, places] of await this.plan()) {
      const report = await this.reportOf(check, places);
      reports.push(report);
      onReport(report);
    }
    return reports;
  }

  /**
   * Repairs the reported violations and runs the checks again, until a round no longer reduces the number of
   * violations.
   * @returns the last results
   */
  async repair(
    reports: readonly CheckReport[],
    onRepair: (report: CheckReport) => void,
  ): Promise<CheckReport[]> {
    await new AuditLog(this.dataSource.getRepository(AuditEntryEntity)).recordCommand(
      this.appId ?? DEFAULT_TENANT,
      'doctor.repair',
      reports
        .filter(isRepairable)
        .map(({ name, count }) => `${name}: ${count}`)
        .join(', '),
    );
    let last = [...reports];
    for (let round = 0; round < ROUNDS && last.some(isRepairable); round += 1) {
      const before = violations(last);
      for (const [check, places] of await this.plan()) {
        const report = last.find(({ name }) => name === check.name);
        if (report === undefined || !isRepairable(report)) continue;
        onRepair(report);
        try {
          for (const place of places) await check.repair(this.tools, place);
        } catch (error) {
          // A later round may succeed: for example, an index can be built only after another repair has removed wrong
          // vectors.
          logger.warn(`Cannot repair ${check.name} now: ${(error as Error).message}`);
        }
      }
      await this.processed();
      last = await this.look(() => undefined);
      if (violations(last) >= before) break;
    }
    return last;
  }

  /** Counts the documents that are being processed. The checks of texts, chunks and pages leave them out. */
  async processing(): Promise<number> {
    let count = 0;
    for (const shard of (await this.tenants()).flatMap(shardIds)) {
      const [row] = await run<{ documents: number }>(
        this.dataSource,
        sql`select count(*)::integer as documents from documents
            where app_id = ${shard} and (status = 'processing' or progress is not null)`,
      );
      count += row?.documents ?? 0;
    }
    return count;
  }

  /** Waits until a running service has processed the documents. @returns how many are left, without a running worker */
  private async processed(): Promise<number> {
    let left = await this.processing();
    for (let idle = 0; left > 0 && idle < IDLE_SECONDS; idle += 1) {
      await delay(1_000);
      const now = await this.processing();
      const [job] = await run<{ running: boolean }>(
        this.dataSource,
        sql`select exists (select 1 from ingestion_jobs where state = 'running' and leased_until > statement_timestamp())
              as running`,
      );
      if (now < left || job?.running === true) idle = 0;
      left = now;
    }
    return left;
  }

  /** Counts the rows that repairs have kept. */
  kept(): Promise<number> {
    return countKept(this.dataSource);
  }

  /** Deletes what repairs have kept: rows and, without a tenant, files. */
  async discard(): Promise<{ readonly rows: number; readonly files: number }> {
    const shards = this.appId === null ? null : (await this.tenants()).flatMap(shardIds);
    return discardKept(this.dataSource, this.tools.store, shards);
  }

  /** Returns the tenants to check. Omits tenants that are being removed. */
  async tenants(): Promise<CheckedTenant[]> {
    return run(
      this.dataSource,
      sql`select app_id as "appId", shards from apps
          where shards > 0 and removing_since is null and (${this.appId}::text is null or app_id = ${this.appId})
          order by app_id`,
    );
  }

  /**
   * Returns each check with the ids of the shards to check. A check of the whole installation has the empty string as
   * its only id.
   */
  private async plan(): Promise<(readonly [Check, readonly string[]])[]> {
    const shards = (await this.tenants()).flatMap(shardIds);
    const ofTenants = OF_TENANTS.map((check) => [check, shards] as const);
    if (this.appId !== null) return ofTenants;
    const once = (check: Check): readonly [Check, readonly string[]] => [check, ['']];
    // The checks of the store run last, because other repairs restore references to files.
    return [...OF_INSTALLATION.map(once), ...ofTenants, ...STORE_CHECKS.map(once)];
  }

  private async reportOf(check: Check, places: readonly string[]): Promise<CheckReport> {
    const { name, rule, remedy, isRepairable: can, isNote } = check;
    const report = { name, rule, remedy, isRepairable: can, isNote };
    let count = 0;
    const examples: string[] = [];
    try {
      for (const place of places) {
        const found = await check.look(this.tools, place);
        count += found.count;
        examples.push(...found.examples);
      }
      return { ...report, count, examples: examples.slice(0, EXAMPLES), failure: null };
    } catch (error) {
      return { ...report, count, examples: examples.slice(0, EXAMPLES), failure: (error as Error).message };
    }
  }
}

function isRepairable({ count, isRepairable: can }: CheckReport): boolean {
  return can && count > 0;
}

function violations(reports: readonly CheckReport[]): number {
  return reports.reduce((sum, { count, isNote }) => sum + (isNote ? 0 : count), 0);
}
