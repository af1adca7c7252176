import { Injectable } from '@nestjs/common';
import { Cached } from '../../request/cached.js';
import { health } from '../../telemetry/metrics.js';
import { STATUSES } from '../health/health.dto.js';
import { HealthService } from '../health/health.service.js';

/** How long a report is cached, in milliseconds, because a check may call the server of a model. */
const TTL_MS = 30_000;

/** Longest wait of a scrape for a report, in milliseconds. Each check has a deadline, but that of a model is longer. */
const PATIENCE_MS = 3_000;

/** The health of the components as gauges, which are at most half a minute and the time of a report old. */
@Injectable()
export class HealthGauges {
  private readonly reports = new Cached(TTL_MS, () => this.report());

  constructor(private readonly service: HealthService) {}

  /** Waits for a new report for a while. A report that takes longer is in a later scrape. */
  async refresh(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([this.reports.get(), late]);
    clearTimeout(timer);
  }

  private async report(): Promise<void> {
    const { services } = await this.service.report(() => Promise.resolve(true));
    health.reset();
    for (const { name, status } of services) {
      for (const one of STATUSES) health.set({ component: name, status: one }, one === status ? 1 : 0);
    }
  }
}
