import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { isAlive } from './is-alive.mjs';

const DEADLINE_MS = 60_000;

/** Runs once after all specs: stops the services that spec files have shared, and removes their data. */
export default async function end() {
  const folder = process.env.LECTERN_TEST_RUN;
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  await Promise.all(files.map((name) => stop(JSON.parse(readFileSync(join(folder, name), 'utf8')))));
  await rm(folder, { recursive: true, force: true });
}

async function stop({ pid, database }) {
  if (isAlive(pid)) process.kill(pid, 'SIGTERM');
  const deadline = Date.now() + DEADLINE_MS;
  while (isAlive(pid)) {
    if (Date.now() > deadline) {
      process.kill(pid, 'SIGKILL');
      throw new Error(`the shared service ${pid} did not end within ${DEADLINE_MS / 1_000} s`);
    }
    await delay(25);
  }
  if (database !== null) await dropDatabase(database);
}

async function dropDatabase({ server, url }) {
  const workers = process.env.CITUS_WORKERS?.split(',') ?? [];
  for (const host of [new URL(server).host, ...workers]) {
    const client = new pg.Client({ connectionString: Object.assign(new URL(server), { host }).href });
    await client.connect();
    await client.query(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`);
    await client.end();
  }
}
