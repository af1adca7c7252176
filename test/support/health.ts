import type { HealthDto } from '../../src/operations/health/health.dto.js';
import type { Answer, Client } from './client.js';
import { until } from './until.js';

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
  return until('the health is as expected', async () => {
    const answer = await client.get('/health');
    const report = answer.json() as HealthDto;
    const isSettled =
      report.services.every(({ name, status }) => status === (expected[name] ?? 'healthy')) &&
      Object.keys(expected).every((name) => report.services.some((service) => service.name === name));
    return isSettled && { answer, report };
  });
}

/** Waits until the service reports that it is ready. */
export async function becomesReady(client: Client): Promise<void> {
  await until('the service is ready', async () => (await client.get('/health/ready')).status === 200);
}
