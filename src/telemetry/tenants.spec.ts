import { registry } from './metrics.js';
import {
  NAMED_TENANTS,
  nameTenants,
  OTHER_TENANTS,
  tenantLabel,
  tenantLabels,
  tenantRequests,
} from './tenants.js';

const tenants = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `tenant-${from + index}`);
const ask = (tenant: string): void => {
  tenantRequests.inc({ tenant: tenantLabel(tenant), outcome: 'ok' });
};
const counted = async (): Promise<Readonly<Record<string, number>>> => {
  const { values } = await tenantRequests.get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels.tenant), value]));
};

describe('tenants in metrics', () => {
  beforeEach(async () => {
    registry.resetMetrics();
    await nameTenants([]);
  });

  it('are at most twenty by name, and the others together', async () => {
    await nameTenants(tenants(0, 500));
    for (const tenant of tenants(0, 500)) ask(tenant);
    const counts = await counted();
    expect(Object.keys(counts)).toEqual([...tenants(0, NAMED_TENANTS), OTHER_TENANTS]);
    expect(counts[OTHER_TENANTS]).toBe(500 - NAMED_TENANTS);
    expect(tenantLabels()).toHaveLength(NAMED_TENANTS + 1);
  });

  it('end their series when others are larger, and no count decreases', async () => {
    await nameTenants(['a', 'b']);
    for (const tenant of ['a', 'b', 'b', 'c']) ask(tenant);
    await nameTenants(['c', 'b']);
    expect(await counted()).toEqual({ b: 2, [OTHER_TENANTS]: 1 });
    for (const tenant of ['a', 'b', 'c']) ask(tenant);
    expect(await counted()).toEqual({ b: 3, c: 1, [OTHER_TENANTS]: 2 });
  });
});
