import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from './client.js';
import { copyMigrated } from './database.js';
import { ServiceProcess, type Ended } from './process.js';
import { createServerDatabase, type ServerDatabase } from './server-database.js';

/**
 * The built service for one end-to-end spec, on a free port: over a new database on the server of DATABASE_URL when that
 * is set, on the embedded one otherwise, with its data in a folder of its own.
 */
export class Service {
  private running: ServiceProcess;
  private base: string;

  private constructor(
    readonly dataDir: string,
    readonly environment: Readonly<Record<string, string>>,
    private readonly database: ServerDatabase | null,
    readonly adminKey: string,
  ) {}

  /** @param environment settings of this spec, over those that every spec has. */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<Service> {
    const dataDir = await mkdtemp(join(tmpdir(), 'lectern-e2e-'));
    const server = process.env['DATABASE_URL'];
    const database = server === undefined ? null : await createServerDatabase(server);
    // A first start from nothing takes four seconds; test/long/operations/lifecycle has those.
    if (database === null) await copyMigrated(join(dataDir, 'postgres'));
    const adminKey = randomBytes(24).toString('base64url');
    const service = new Service(
      dataDir,
      {
        DATA_DIR: dataDir,
        PORT: '0',
        ADMIN_KEY: adminKey,
        RATE_LIMIT_PER_MINUTE: '0',
        ...(database === null
          ? {}
          : { DATABASE_URL: database.url, JWT_SECRET: randomBytes(48).toString('base64url') }),
        ...environment,
      },
      database,
      adminKey,
    );
    await service.restart();
    return service;
  }

  get url(): string {
    return this.base;
  }

  /** Everything that the running process has printed. */
  get output(): string {
    return this.running.output;
  }

  /** The most memory that the running process has held at once, in MB. */
  peakMegabytes(): Promise<number> {
    return this.running.peakMegabytes();
  }

  /** The memory that the running process holds now, in MB. */
  presentMegabytes(): Promise<number> {
    return this.running.presentMegabytes();
  }

  /** The same with the processes that read files for it. */
  presentMegabytesWithReaders(): Promise<number> {
    return this.running.presentMegabytesWithReaders();
  }

  /** Waits until the running process has printed something. */
  printed(text: string): Promise<void> {
    return this.running.printed(text);
  }

  /** Calls the service with the admin key unless told otherwise. */
  get client(): Client {
    return new Client(this.base, this.adminKey);
  }

  as(key: string | null): Client {
    return new Client(this.base, key);
  }

  /** Starts it on the same data; the one before has to be gone. */
  async restart(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    this.running = ServiceProcess.spawn({ ...this.environment, ...environment });
    this.base = await this.running.url();
  }

  /** SIGKILL: no warning, no clean-up. */
  async kill9(): Promise<Ended> {
    return this.running.kill('SIGKILL');
  }

  /** SIGTERM, and the way it ended. */
  async terminate(): Promise<Ended> {
    return this.running.kill('SIGTERM');
  }

  /** Ends it and removes its data. */
  async stop(): Promise<void> {
    await this.running.kill('SIGTERM');
    await this.database?.drop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
