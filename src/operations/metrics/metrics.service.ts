import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { measureProcess, poolConnections, poolWaiting, registry } from '../../telemetry/metrics.js';
import { InstallationCounts } from './installation-counts.js';

/** Of the text format of Prometheus. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Puts together what `GET /metrics` answers. */
@Injectable()
export class MetricsService implements OnModuleInit {
  private readonly logger = new Logger('Metrics');

  constructor(
    private readonly dataSource: DataSource,
    private readonly counts: InstallationCounts,
  ) {}

  onModuleInit(): void {
    measureProcess();
  }

  /** In the text format of Prometheus. While the database is away, what is counted in it is left out. */
  async text(): Promise<string> {
    this.measurePool();
    try {
      await this.counts.refresh();
    } catch (error) {
      this.counts.forget(); // an old number would look like a new one
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
