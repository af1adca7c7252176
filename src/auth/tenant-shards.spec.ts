import { randomUUID } from 'node:crypto';
import { Invalid } from '../errors/index.js';
import { scopeOf } from './scope.js';
import { byShard, shardIds, shardOf, shardsOf, tenantOf, tenantText } from './tenant-shards.js';

const whole = scopeOf('acme', ['read'], 'key');
const parted = scopeOf('acme', ['read'], 'key', 4);

describe('the parts of a tenant', () => {
  it('are one with the id of the tenant where it is undivided', () => {
    expect(shardIds(whole)).toEqual(['acme']);
    expect(shardsOf(whole)).toEqual([whole]);
    expect(shardOf(whole, randomUUID())).toBe(whole);
  });

  it('have ids of their own, of which no tenant can have one', () => {
    expect(shardIds(parted)).toEqual(['acme', 'acme\u001f1', 'acme\u001f2', 'acme\u001f3']);
    expect(shardIds(parted).map(tenantOf)).toEqual(['acme', 'acme', 'acme', 'acme']);
    for (const id of shardIds(parted).slice(1)) {
      expect(() => tenantText(id, ['body', 'app_id'])).toThrow(Invalid);
    }
    expect(tenantText('acme 1', [])).toBe('acme 1');
  });

  it('have about as many documents each, and each the same ones however an id is written', () => {
    const counts = new Map<string, number>();
    for (let number = 0; number < 4_000; number += 1) {
      const id = randomUUID();
      const part = shardOf(parted, id);
      expect(part).toEqual({ ...parted, appId: part.appId, parts: 1 });
      expect(shardOf(parted, id.toUpperCase())).toEqual(part);
      expect(shardOf(part, id)).toBe(part);
      counts.set(part.appId, (counts.get(part.appId) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(shardIds(parted));
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(200);
  });

  it('take what is about their documents, in the order in which it comes', () => {
    const ids = Array.from({ length: 50 }, () => randomUUID());
    const groups = byShard(parted, ids, (id) => id);
    for (const [part, items] of groups) {
      expect(items).toEqual(ids.filter((id) => shardOf(parted, id).appId === part.appId));
    }
    expect(groups.flatMap(([, items]) => items).sort()).toEqual(ids.toSorted());
    expect(byShard(parted, [], String)).toEqual([]);
  });
});
