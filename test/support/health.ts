import { setTimeout as delay } from 'node:timers/promises';
import type { HealthDto } from '../../src/operations/health/health.dto.js';
import type { Answer, Client } from './client.js';

/**
 * Requests the health report until each component has the expected status. A component exceeds the short deadline of its
 * check if the machine is busy; one that stays unhealthy ends in the time limit of the test.
 *
 * @param expected statuses other than `healthy`, by the name of the component
 */
export async function settledHealth(
  client: Client,
  expected: Readonly<Record<string, string>> = {},
): Promise<{ answer: Answer; report: HealthDto }> {
  for (;;) {
    const answer = await client.get('/health');
    const report = answer.json() as HealthDto;
    const isSettled =
      report.services.every(({ name, status }) => status === (expected[name] ?? 'healthy')) &&
      Object.keys(expected).every((name) => report.services.some((service) => service.name === name));
    if (isSettled) return { answer, report };
    await delay(100);
  }
}

/** Waits until the service reports that it is ready. */
export async function becomesReady(client: Client): Promise<void> {
  while ((await client.get('/health/ready')).status !== 200) await delay(100);
}
