import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { HealthDto } from '../../src/operations/health/health.dto.js';
import { becomesReady } from '../support/health.js';
import {
  createServerDatabase,
  onServer,
  serverUrl,
  type ServerDatabase,
} from '../support/server-database.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

const server = new URL(serverUrl ?? 'postgres://127.0.0.1/none');

/** A small file system for the tables, which the server can only reach on this machine. Mounting it needs root. */
const disk = mkdtempSync(join(tmpdir(), 'lectern-tables-'));
const hasDisk =
  serverUrl !== undefined &&
  ['127.0.0.1', 'localhost'].includes(server.hostname) &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=96m,mode=0777', 'tmpfs', disk]).status === 0 &&
  spawnSync('chown', ['postgres', disk]).status === 0;

const asAdmin = async (statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: server.href });
  await client.connect();
  await client.query(statement).finally(() => client.end());
};

const databaseIn = async (service: Service): Promise<unknown> => {
  const { services } = (await service.as(null).get('/health')).json() as HealthDto;
  return services.find(({ name }) => name === 'database');
};

onServer('a server that accepts no more connections', () => {
  const role = `lectern_test_${randomBytes(8).toString('hex')}`;
  const others: pg.Client[] = [];
  let database: ServerDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await createServerDatabase(server.href);
    await asAdmin(`create role ${role} login superuser`);
    const url = new URL(database.url);
    url.username = role;
    service = await Service.start({ DATABASE_URL: url.href, DATABASE_POOL_SIZE: '20' });
    await asAdmin(`alter role ${role} nosuperuser connection limit 16`);
    // The service keeps the connections of its start, fewer than its pool may have.
    const one = async (): Promise<boolean> => {
      const client = new pg.Client({ connectionString: url.href });
      const isOpen = await client.connect().then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ code: '53300' });
          return false;
        },
      );
      if (isOpen) others.push(client);
      return isOpen;
    };
    while (await one());
  });
  afterAll(async () => {
    await Promise.all(others.map((client) => client.end()));
    await service.stop();
    await database.drop();
    await asAdmin(`drop role ${role}`);
  });

  it('makes the service unready with the reason, until it accepts one again', async () => {
    expect(others.length).toBeGreaterThan(0);
    const detail = 'The database accepts no more connections';
    const refused = await until('the service is unready', async () => {
      const answer = await service.as(null).get('/health/ready');
      return answer.status === 503 ? answer : undefined;
    });
    expect([refused.headers.get('retry-after'), refused.json()]).toEqual(['5', { detail }]);
    expect(await databaseIn(service)).toMatchObject({ status: 'unhealthy', message: detail });
    expect((await service.as(null).get('/health/live')).status).toBe(200);

    await others.pop()?.end();
    await becomesReady(service.as(null));
  });
});

(hasDisk ? describe : describe.skip)('a server with a full disk (needs the right to mount one)', () => {
  const space = `lectern_test_${randomBytes(8).toString('hex')}`;
  const filler = join(disk, 'filler');
  let database: ServerDatabase;
  let service: Service;

  beforeAll(async () => {
    await asAdmin(`create tablespace ${space} location '${disk}'`);
    database = await createServerDatabase(server.href);
    await asAdmin(`alter database ${new URL(database.url).pathname.slice(1)} set tablespace ${space}`);
    service = await Service.start({ DATABASE_URL: database.url });
    await writeFile(filler, '');
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
    await asAdmin(`drop tablespace ${space}`);
    spawnSync('umount', ['--lazy', disk]);
  });

  it('makes the service unready after the first write that fails, until there is space', async () => {
    await expect(
      (async () => {
        for (;;) await appendFile(filler, Buffer.alloc(65_536));
      })(),
    ).rejects.toMatchObject({ code: 'ENOSPC' });
    const write = (number: number) =>
      service.client.post('/folders', {
        name: `folder-${number}`,
        description: randomBytes(4_500).toString('hex'),
      });
    let number = 0;
    const refused = await until('a write fails', async () => {
      const answer = await write(number++);
      return answer.status === 200 ? undefined : answer;
    });
    const detail = 'The disk of the database is full';
    expect([refused.status, refused.headers.get('retry-after'), refused.json()]).toEqual([
      503,
      '60',
      { detail },
    ]);
    const ready = await service.as(null).get('/health/ready');
    expect([ready.status, ready.json()]).toEqual([503, { detail }]);
    expect(await databaseIn(service)).toMatchObject({ status: 'unhealthy', message: detail });
    expect((await service.client.get('/folders')).status).toBe(200);

    await rm(filler);
    await becomesReady(service.as(null));
    expect((await write(number)).status).toBe(200);
  });
});

afterAll(() => rm(disk, { recursive: true, force: true }));

if (!hasDisk)
  it.skip('skipped: no PostgreSQL of this machine, or no permission to mount a file system', () => undefined);
