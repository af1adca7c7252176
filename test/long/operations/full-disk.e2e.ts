import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { appendFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../../support/client.js';
import { copyMigrated } from '../../support/migrated-folder.js';
import { ServiceProcess } from '../../support/process.js';
import { onEmbedded } from '../../support/server-database.js';

const ADMIN_KEY = 'the-admin-key-of-this-spec';

/** A small separate file system; mounting it needs root. */
const disk = mkdtempSync(join(tmpdir(), 'lectern-disk-'));
const hasDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', disk]).status === 0;
const onDisk = hasDisk ? onEmbedded : describe.skip;

onDisk('the embedded database on a full disk (needs the right to mount one)', () => {
  const data = join(disk, 'data');
  const filler = join(disk, 'filler');
  const environment = { DATA_DIR: data, PORT: '0', ADMIN_KEY, RATE_LIMIT_PER_MINUTE: '0' };
  const start = () => ServiceProcess.spawn(environment);
  const fill = async (): Promise<void> => {
    for (const bytes of [65_536, 1]) {
      await (async () => {
        for (;;) await appendFile(filler, Buffer.alloc(bytes));
      })().catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'ENOSPC' });
      });
    }
  };

  beforeAll(() => copyMigrated(join(data, 'postgres')), 60_000);

  it('rejects writes, is not ready, and restarts once there is space', async () => {
    await writeFile(filler, '');
    const service = start();
    const client = new Client(await service.url(), ADMIN_KEY);
    expect((await client.get('/health/ready')).status).toBe(200);
    await fill();
    const answers = [];
    for (const number of [1, 2, 3]) {
      answers.push(await client.post('/ingest/text', { content: 'The lantern burns oil. '.repeat(2_000) }));
      answers.push(
        await client.post('/folders', { name: `folder-${number}`, description: 'x'.repeat(9_000) }),
      );
    }
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
    for (const { headers } of answers) expect(headers.get('retry-after')).toBe('60');
    const ready = await client.get('/health/ready');
    expect([ready.status, ready.text]).toEqual([503, '{"detail":"The disk of the database is full"}']);
    expect((await client.post('/retrieve/chunks', { query: 'oil' })).status).toBe(200);

    expect((await service.kill('SIGKILL')).signal).toBe('SIGKILL');
    const refused = await start().end();
    expect([refused.code, refused.output]).toEqual([
      1,
      `The disk of DATA_DIR ${data} is full: free space there, or set DATA_DIR (--data of lectern serve) to another folder`,
    ]);
    expect((await readdir(data)).filter((name) => name.startsWith('lock.'))).toEqual([]);

    await rm(filler);
    const again = start();
    const back = new Client(await again.url(), ADMIN_KEY);
    expect((await back.get('/health/ready')).status).toBe(200);
    expect((await back.post('/folders', { name: 'afterwards' })).status).toBe(200);
    expect(await again.kill('SIGTERM')).toMatchObject({ code: 0 });
  });
});

afterAll(async () => {
  if (hasDisk) spawnSync('umount', ['--lazy', disk]);
  await rm(disk, { recursive: true, force: true });
});

if (!hasDisk) it.skip('skipped: no permission to mount a file system', () => undefined);
