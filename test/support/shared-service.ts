import { spawn } from 'node:child_process';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from './client.js';
import { copyMigrated } from './migrated-folder.js';
import { LISTENING, recorded } from './process.js';
import { isAlive } from './run/is-alive.mjs';
import { createServerDatabase } from './server-database.js';
import { until } from './until.js';

/** What a spec asks of a service that it neither configures nor restarts. */
export interface Served {
  readonly url: string;
  readonly dataDir: string;
  /** An admin key of the tenant of the spec. */
  readonly adminKey: string;
  /** A client with `adminKey`. */
  readonly client: Client;
  as(key: string | null): Client;
  stop(): Promise<void>;
}

/** A service that one worker of jest has started; a file of the run describes it. */
interface Running {
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  readonly operatorKey: string;
  /** Server and name of its database; null: embedded. */
  readonly database: { readonly server: string; readonly url: string } | null;
  readonly ports: readonly number[];
}

/** Settings of a shared service. */
export interface Kind {
  readonly name: string;
  /** Number of ports at which each spec starts its own fakes. */
  readonly ports: number;
  readonly environment: (ports: readonly number[]) => Readonly<Record<string, string>>;
}

/** The service as it is installed, but with a small limit of files, so that a spec can exceed it. */
export const PLAIN: Kind = { name: 'plain', ports: 0, environment: () => ({ MAX_FILE_MB: '1' }) };

/**
 * A new tenant of a service that all spec files of a worker of jest share, because a start costs seconds of processor
 * time. The first file starts it; `run/end.mjs` stops it after the last one.
 */
export class SharedService implements Served {
  /** Names of the tenants of the spec; the first is the one of `adminKey`. */
  private readonly tenants: string[] = [];
  adminKey: string;

  private constructor(private readonly running: Running) {}

  static async enter(kind: Kind = PLAIN): Promise<SharedService> {
    return SharedService.tenantOf(await SharedService.running(kind));
  }

  /**
   * @param startFakes starts what the service calls, at the ports of the service; they may have to be there when it
   *   starts
   */
  static async enterWith<T>(
    kind: Kind,
    startFakes: (ports: readonly number[]) => Promise<T>,
  ): Promise<{ readonly service: SharedService; readonly fakes: T }> {
    const ports = known(kind)?.ports ?? (await freePorts(kind.ports));
    const fakes = await startFakes(ports);
    return { service: await SharedService.tenantOf(await SharedService.running(kind, ports)), fakes };
  }

  get url(): string {
    return this.running.url;
  }

  get dataDir(): string {
    return this.running.dataDir;
  }

  get client(): Client {
    return this.as(this.adminKey);
  }

  /** A client with an admin key of the default tenant, which may manage tenants. */
  get operator(): Client {
    return this.as(this.running.operatorKey);
  }

  as(key: string | null): Client {
    return new Client(this.url, key);
  }

  /** Creates another tenant. @returns an admin key of it */
  async newTenant(more: object = {}): Promise<string> {
    const name = `spec-${randomUUID()}`;
    const answer = await this.operator.post('/cloud/generate_uri', { name, ...more });
    const key = /:([\w.-]+)@/.exec((answer.json() as { uri?: string }).uri ?? '')?.[1];
    if (key === undefined) throw new Error(answer.text);
    this.tenants.push(name);
    return key;
  }

  /** Deletes the tenants of the spec. */
  async stop(): Promise<void> {
    for (const name of this.tenants) {
      const answer = await this.operator.delete(`/apps?app_name=${name}`);
      if (answer.status !== 200) throw new Error(answer.text);
    }
  }

  private static async running(kind: Kind, ports: readonly number[] = []): Promise<Running> {
    const present = known(kind);
    if (present === undefined) return start(kind, ports);
    if (!isAlive(present.pid)) throw new Error(`the shared service has ended:\n${outputOf(kind)}`);
    return present;
  }

  private static async tenantOf(running: Running): Promise<SharedService> {
    const service = new SharedService(running);
    service.adminKey = await service.newTenant();
    return service;
  }
}

/** The path of a file of this run, for one service of this worker. */
function fileOf(kind: Kind, extension: string): string {
  const folder = process.env['LECTERN_TEST_RUN'];
  if (folder === undefined) throw new Error('the run has not begun: see globalSetup in jest.config.mjs');
  return join(folder, `${kind.name}-${process.env['JEST_WORKER_ID'] ?? '0'}.${extension}`);
}

function known(kind: Kind): Running | undefined {
  const file = fileOf(kind, 'json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Running) : undefined;
}

function outputOf(kind: Kind): string {
  return readFileSync(fileOf(kind, 'log'), 'utf8');
}

async function start(kind: Kind, ports: readonly number[]): Promise<Running> {
  const dataDir = await mkdtemp(fileOf(kind, 'data-'));
  const server = process.env['DATABASE_URL'];
  const database = server === undefined ? null : { server, url: (await createServerDatabase(server)).url };
  if (database === null) await copyMigrated(join(dataDir, 'postgres'));
  const operatorKey = randomBytes(24).toString('base64url');
  const log = openSync(fileOf(kind, 'log'), 'w');
  const child = spawn(process.execPath, ['dist/main.js'], {
    env: {
      PATH: process.env['PATH'],
      npm_execpath: 'jest', // ends the service when the process of jest has ended
      LOG_FORMAT: 'json',
      DATA_DIR: dataDir,
      PORT: '0',
      ADMIN_KEY: operatorKey,
      RATE_LIMIT_PER_MINUTE: '0',
      DATABASE_CONNECT_TIMEOUT_MS: '60000',
      ...(database === null
        ? {}
        : { DATABASE_URL: database.url, JWT_SECRET: randomBytes(48).toString('base64url') }),
      ...recorded(),
      ...kind.environment(ports),
    },
    stdio: ['ignore', log, log], // a file, because a pipe would end with the spec
  });
  const { pid = 0 } = child;
  closeSync(log);
  child.unref();
  const url = await until('the shared service listens', () => {
    const found = LISTENING.exec(outputOf(kind))?.[1];
    if (found === undefined && !isAlive(pid)) throw new Error(`the service ended:\n${outputOf(kind)}`);
    return found;
  });
  const running = { url, pid, dataDir, operatorKey, database, ports };
  writeFileSync(fileOf(kind, 'json'), JSON.stringify(running));
  return running;
}

/** Ports that the system does not give to connections, so that they stay free between two spec files. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(12_000, 32_000);
    const server = createServer();
    const taken = new Promise<boolean>((resolve) =>
      server.once('error', () => {
        resolve(true);
      }),
    );
    server.listen(port, '127.0.0.1');
    if (await Promise.race([taken, once(server, 'listening').then(() => false)])) continue;
    server.close();
    await once(server, 'close');
    if (!ports.includes(port)) ports.push(port);
  }
  return ports;
}
