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
import { EXAMPLES, type Check } from './check.js';
import { documentChecks } from './documents.js';
import { fileChecks, type CheckedTenant } from './files.js';
import { indexChecks } from './indexes.js';
import { interruptedChecks, queueChecks } from './queue.js';
import { Rebuild } from './rebuild.js';
import { referenceChecks } from './references.js';
import { statisticsChecks } from './statistics.js';
import { tenantChecks } from './tenants.js';
import { textCheck } from './texts.js';
import { modelCheck, vectorChecks } from './vectors.js';

export interface CheckReport extends Pick<Check, 'name' | 'rule' | 'remedy' | 'isRepairable'> {
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

/** Checks every invariant of the stored data, and repairs violations. */
class DeepCheck {
  /** Checks of a tenant shard, in the order of their repairs. */
  private readonly ofTenants: readonly Check[];
  private readonly ofInstallation: readonly Check[];
  /** Checks of the object store. They run last, because other repairs restore references to files. */
  private readonly ofStore: readonly Check[];

  constructor(
    private readonly dataSource: DataSource,
    store: ObjectStore,
    settings: Settings,
    private readonly appId: string | null,
  ) {
    const rebuild = new Rebuild(dataSource, store);
    const tombstones = new ObjectTombstones(settings, dataSource, store);
    const files = fileChecks(dataSource, store, { rebuild, tombstones }, () => this.tenants());
    this.ofTenants = [
      ...referenceChecks(dataSource, store, rebuild),
      ...queueChecks(dataSource, tombstones),
      ...documentChecks(dataSource, rebuild),
      textCheck(dataSource, rebuild),
      ...vectorChecks(dataSource, rebuild),
      ...files.ofTenants,
      ...statisticsChecks(dataSource),
    ];
    this.ofInstallation = [
      ...tenantChecks(dataSource),
      ...indexChecks(dataSource),
      ...interruptedChecks(dataSource),
      modelCheck(dataSource, settings),
    ];
    this.ofStore = files.ofInstallation;
  }

  /** Runs all checks. @param onReport receives each result as soon as its check has ended */
  async look(onReport: (report: CheckReport) => void): Promise<CheckReport[]> {
    const reports: CheckReport[] = [];
    for (const [check, places] of await this.plan()) {
      const report = await reportOf(check, places);
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
          for (const place of places) await check.repair(place);
        } catch (error) {
          // A later round may succeed: for example, an index can be built only after another repair has removed wrong
          // vectors.
          logger.warn(`Cannot repair ${check.name} now: ${(error as Error).message}`);
        }
      }
      last = await this.look(() => undefined);
      if (violations(last) >= before) break;
    }
    return last;
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
    const ofTenants = this.ofTenants.map((check) => [check, shards] as const);
    if (this.appId !== null) return ofTenants;
    const once = (check: Check): readonly [Check, readonly string[]] => [check, ['']];
    return [...this.ofInstallation.map(once), ...ofTenants, ...this.ofStore.map(once)];
  }
}

function isRepairable({ count, isRepairable: can }: CheckReport): boolean {
  return can && count > 0;
}

function violations(reports: readonly CheckReport[]): number {
  return reports.reduce((sum, { count }) => sum + count, 0);
}

async function reportOf(check: Check, places: readonly string[]): Promise<CheckReport> {
  const { name, rule, remedy, isRepairable: can } = check;
  const report = { name, rule, remedy, isRepairable: can };
  let count = 0;
  const examples: string[] = [];
  try {
    for (const place of places) {
      const found = await check.look(place);
      count += found.count;
      examples.push(...found.examples);
    }
    return { ...report, count, examples: examples.slice(0, EXAMPLES), failure: null };
  } catch (error) {
    return { ...report, count, examples: examples.slice(0, EXAMPLES), failure: (error as Error).message };
  }
}
