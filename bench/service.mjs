import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const START_LIMIT_MS = 60_000;

/**
 * Data of one measurement: a temporary DATA_DIR and, with a database server, a new database. All services that are
 * started in this home share its data.
 *
 * @param main path of another build
 */
export async function openHome(databaseUrl, main = MAIN) {
  const dataDir = await mkdtemp(join(tmpdir(), 'lectern-bench-'));
  const database = databaseUrl === undefined ? undefined : await openDatabase(databaseUrl);
  const environment = {
    ...process.env,
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    JWT_SECRET: randomBytes(48).toString('base64'),
    ADMIN_KEY: randomBytes(24).toString('hex'),
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
    LOG_FORMAT: 'json',
    DATABASE_URL: database?.url ?? '',
  };
  const started = [];
  return {
    databaseUrl: database?.url,
    environment,
    async start(settings = {}) {
      const service = await startService(main, { ...environment, ...settings });
      started.push(service);
      return service;
    },
    async close() {
      for (const service of started) await service.stop();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export async function openDatabase(server) {
  const name = `lectern_bench_${randomBytes(6).toString('hex')}`;
  const admin = async (statement) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await admin(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => admin(`drop database ${name} with (force)`) };
}

/**
 * Starts the built service and resolves when it is ready. `call(path, body?)` sends JSON with the admin key and returns
 * JSON; it throws if the status is not 2xx.
 */
async function startService(main, environment) {
  const port = await freePort();
  const begun = performance.now();
  const child = spawn(process.execPath, [main], {
    env: { ...environment, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const exited = once(child, 'exit');
  const base = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  while (!(await answers(`${base}/health/ready`))) {
    if (child.exitCode !== null)
      throw new Error(`the service stopped at its start with code ${child.exitCode}`);
    if (performance.now() - begun > START_LIMIT_MS) {
      await stop();
      throw new Error(`the service was not ready within ${START_LIMIT_MS} ms`);
    }
    await pause(5);
  }
  return {
    begun,
    base,
    key: environment.ADMIN_KEY,
    pid: child.pid,
    url: base,
    call: (path, body) => call(base, environment.ADMIN_KEY, path, body),
    stop,
  };
}

/** Current (`VmRSS`) or peak (`VmHWM`) memory of a process in MB; NaN on systems other than Linux. */
export async function megabytesOf(pid, field) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? NaN) / 1_024);
}

export async function call(base, key, path, body) {
  const response = await fetch(base + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

async function answers(url) {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false; // not listening yet
  }
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
