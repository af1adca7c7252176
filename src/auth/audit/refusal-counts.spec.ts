import type { AuditLog } from './audit-log.js';
import { RefusalCounts } from './refusal-counts.js';

type Entries = Parameters<AuditLog['recordAll']>[0];

const KEY = { appId: 'acme', id: '0198c0de-0000-7000-8000-00000000abcd' };

describe('RefusalCounts', () => {
  let written: Entries[number][];
  let isDown: boolean;
  let counts: RefusalCounts;
  beforeEach(() => {
    written = [];
    isDown = false;
    counts = new RefusalCounts({
      recordAll: (entries: Entries) => {
        if (isDown) return Promise.reject(new Error('down'));
        written.push(...entries);
        return Promise.resolve();
      },
    } as unknown as AuditLog);
  });

  const guess = (address: string): void => {
    counts.count({ event: 'key.refused', address, reason: 'wrong key' });
  };
  const shown = (): unknown[] =>
    written.map(({ appId, keyId, address, subject }) => [appId, keyId, address, subject]);

  it('writes one entry for each source, with the number of its refusals', async () => {
    for (let times = 0; times < 5; times += 1) guess('203.0.113.7');
    guess('203.0.113.8');
    counts.count({ event: 'key.refused', address: '203.0.113.8', reason: 'ended key', key: KEY });
    await counts.flush();
    expect(shown()).toEqual([
      ['default', 'none', '203.0.113.7', 'wrong key count=5'],
      ['default', 'none', '203.0.113.8', 'wrong key count=1'],
      ['acme', KEY.id, '203.0.113.8', 'ended key count=1'],
    ]);
    await counts.flush();
    expect(written).toHaveLength(3);
  });

  it('writes a minute after the first refusal, without anybody asking', async () => {
    jest.useFakeTimers();
    try {
      guess('203.0.113.7');
      await jest.advanceTimersByTimeAsync(59_000);
      expect(written).toEqual([]);
      await jest.advanceTimersByTimeAsync(1_000);
      expect(shown()).toEqual([['default', 'none', '203.0.113.7', 'wrong key count=1']]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('keeps the counts while the database is down', async () => {
    guess('203.0.113.7');
    isDown = true;
    await counts.flush();
    guess('203.0.113.7');
    isDown = false;
    await counts.flush();
    expect(shown()).toEqual([['default', 'none', '203.0.113.7', 'wrong key count=2']]);
  });

  it('counts sources beyond a thousand as one, so that many addresses do not fill the log', async () => {
    for (let source = 0; source < 5_000; source += 1) guess(`source ${source}`);
    await counts.flush();
    expect(written).toHaveLength(1_001);
    expect(shown().at(-1)).toEqual(['default', 'none', null, 'other addresses count=4000']);
  });
});
