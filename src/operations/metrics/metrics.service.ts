import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../../config/settings.js';
import {
  buildInfo,
  diskBytes,
  measureProcess,
  poolConnections,
  poolWaiting,
  registry,
} from '../../telemetry/metrics.js';
import { poolOf } from '../../database/server-limits.js';
import { RELEASE } from '../../database/release.js';
import { HealthGauges } from './health-gauges.js';
import { InstallationCounts } from './installation-counts.js';

/** Content type of the Prometheus text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

@Injectable()
export class MetricsService implements OnModuleInit {
  private readonly logger = new Logger('Metrics');

  constructor(
    private readonly dataSource: DataSource,
    private readonly counts: InstallationCounts,
    private readonly health: HealthGauges,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    measureProcess();
    buildInfo.set(RELEASE, 1);
  }

  /**
   * Returns the metrics in the Prometheus text format. If the database is not available, omits the metrics that are
   * counted in the database.
   */
  async text(): Promise<string> {
    this.measurePool();
    await Promise.all([this.measureDisk(), this.health.refresh(), this.count()]);
    return registry.metrics();
  }

  private async count(): Promise<void> {
    try {
      await this.counts.refresh();
    } catch (error) {
      this.counts.forget(); // removes the metrics from the database, because old values would look current
      this.logger.warn({ err: error }, 'cannot count jobs and documents');
    }
  }

  private async measureDisk(): Promise<void> {
    if (this.settings.STORAGE === 's3' && this.settings.DATABASE_URL !== undefined) return;
    try {
      const { bavail, blocks, bsize } = await statfs(resolve(this.settings.DATA_DIR));
      diskBytes.set({ state: 'total' }, blocks * bsize);
      diskBytes.set({ state: 'free' }, bavail * bsize);
    } catch (error) {
      diskBytes.reset();
      this.logger.warn({ err: error }, 'cannot measure the disk of DATA_DIR');
    }
  }

  private measurePool(): void {
    const pool = poolOf(this.dataSource);
    poolConnections.set({ state: 'total' }, pool.totalCount);
    poolConnections.set({ state: 'idle' }, pool.idleCount);
    poolWaiting.set(pool.waitingCount);
  }
}
