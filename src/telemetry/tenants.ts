import { Counter, Gauge } from 'prom-client';
import { registry } from './metrics.js';

/** How many tenants metrics name: those with the most passages. All others share one label. */
export const NAMED_TENANTS = 20;
export const OTHER_TENANTS = '(others)';

const registers = [registry];

export const tenantRequests = new Counter({
  name: 'lectern_tenant_requests_total',
  help: 'Requests with a key of the tenant. outcome: ok, refused (4xx), failed (5xx) or aborted.',
  labelNames: ['tenant', 'outcome'],
  registers,
});

export const tenantSeconds = new Counter({
  name: 'lectern_tenant_request_seconds_total',
  help: 'Time of the requests of the tenant, without streams.',
  labelNames: ['tenant'],
  registers,
});

export const tenantTokens = new Counter({
  name: 'lectern_tenant_model_tokens_total',
  help: 'Tokens that models used for requests of the tenant.',
  labelNames: ['tenant'],
  registers,
});

export const tenantPassages = new Gauge({
  name: 'lectern_tenant_passages',
  help: 'Stored passages of the tenant.',
  labelNames: ['tenant'],
  registers,
});

export const tenantJobs = new Gauge({
  name: 'lectern_tenant_ingestion_jobs',
  help: 'Ingestion jobs of the tenant. state: queued, running or dead.',
  labelNames: ['tenant', 'state'],
  registers,
});

export const tenantOldestJob = new Gauge({
  name: 'lectern_tenant_ingestion_oldest_due_seconds',
  help: 'Time since the oldest unclaimed job of the tenant became due; 0 without one.',
  labelNames: ['tenant'],
  registers,
});

const COUNTERS: readonly Counter[] = [tenantRequests, tenantSeconds, tenantTokens];
const GAUGES = [tenantPassages, tenantJobs, tenantOldestJob];

let named: ReadonlySet<string> = new Set();

/** Returns the value of the label `tenant`. */
export function tenantLabel(tenant: string): string {
  return named.has(tenant) ? tenant : OTHER_TENANTS;
}

/**
 * Names these tenants from now on. The counters of a tenant that is no longer named end, and what it does afterwards
 * counts for the others, so that no counter ever decreases.
 */
export async function nameTenants(largest: readonly string[]): Promise<void> {
  const former = named;
  named = new Set(largest.slice(0, NAMED_TENANTS));
  const isGone = (label: unknown): boolean =>
    typeof label === 'string' && former.has(label) && !named.has(label);
  for (const counter of COUNTERS) {
    const { values } = await counter.get();
    for (const { labels } of values) if (isGone(labels['tenant'])) counter.remove(labels);
  }
}

/** The label of every named tenant, and that of the others. */
export function tenantLabels(): string[] {
  return [...named, OTHER_TENANTS];
}

/** Removes what was counted in the database. */
export function forgetTenants(): void {
  for (const gauge of GAUGES) gauge.reset();
}
