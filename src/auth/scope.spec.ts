import { randomUUID } from 'node:crypto';
import { Invalid } from '../errors/index.js';
import { byShard, scopeOf, shardIds, shardOf, shardsOf, tenantOf, tenantText } from './scope.js';

const whole = scopeOf('acme', ['read'], 'key');
const sharded = scopeOf('acme', ['read'], 'key', { shards: 4 });

describe('tenant shards', () => {
  it('consist of the tenant itself when it is undivided', () => {
    expect(shardIds(whole)).toEqual(['acme']);
    expect(shardsOf(whole)).toEqual([whole]);
    expect(shardOf(whole, randomUUID())).toBe(whole);
  });

  it('have ids that no tenant can have', () => {
    expect(shardIds(sharded)).toEqual(['acme', 'acme\u001f1', 'acme\u001f2', 'acme\u001f3']);
    expect(shardIds(sharded).map(tenantOf)).toEqual(['acme', 'acme', 'acme', 'acme']);
    for (const id of shardIds(sharded).slice(1)) {
      expect(() => tenantText(id, ['body', 'app_id'])).toThrow(Invalid);
    }
    expect(tenantText('acme 1', [])).toBe('acme 1');
  });

  it('hold about equally many documents, independent of the case of document ids', () => {
    const counts = new Map<string, number>();
    for (let number = 0; number < 4_000; number += 1) {
      const id = randomUUID();
      const shard = shardOf(sharded, id);
      expect(shard).toEqual({ ...sharded, appId: shard.appId, shards: 1 });
      expect(shardOf(sharded, id.toUpperCase())).toEqual(shard);
      expect(shardOf(shard, id)).toBe(shard);
      counts.set(shard.appId, (counts.get(shard.appId) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(shardIds(sharded));
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(200);
  });

  it('group items by shard and keep their order', () => {
    const ids = Array.from({ length: 50 }, () => randomUUID());
    const groups = byShard(sharded, ids, (id) => id);
    for (const [shard, items] of groups) {
      expect(items).toEqual(ids.filter((id) => shardOf(sharded, id).appId === shard.appId));
    }
    expect(groups.flatMap(([, items]) => items).sort()).toEqual(ids.toSorted());
    expect(byShard(sharded, [], String)).toEqual([]);
  });
});
