import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import {
  buildInfo,
  measureProcess,
  poolConnections,
  poolWaiting,
  registry,
} from '../../telemetry/metrics.js';
import { RELEASE } from '../../database/release.js';
import { InstallationCounts } from './installation-counts.js';

/** Content type of the Prometheus text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

@Injectable()
export class MetricsService implements OnModuleInit {
  private readonly logger = new Logger('Metrics');

  constructor(
    private readonly dataSource: DataSource,
    private readonly counts: InstallationCounts,
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
    try {
      await this.counts.refresh();
    } catch (error) {
      this.counts.forget(); // removes the metrics from the database, because old values would look current
      this.logger.warn({ err: error }, 'cannot count jobs and documents');
    }
    return registry.metrics();
  }

  private measurePool(): void {
    const { master } = this.dataSource.driver as DataSource['driver'] & { readonly master: Pool };
    poolConnections.set({ state: 'total' }, master.totalCount);
    poolConnections.set({ state: 'idle' }, master.idleCount);
    poolWaiting.set(master.waitingCount);
  }
}
