import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from './client.js';
import { copyMigrated } from './migrated-folder.js';
import { ServiceProcess, type Ended } from './process.js';
import { createServerDatabase, type ServerDatabase } from './server-database.js';
import type { Served } from './shared-service.js';

/**
 * The built service for one end-to-end spec that configures or restarts it; {@link SharedService} is for all others. It
 * has a free port, a data folder of its own, and a new database on the
 * server of DATABASE_URL or, if the variable is not set, the embedded database.
 */
export class Service implements Served {
  private running: ServiceProcess;
  private base: string;

  private constructor(
    readonly dataDir: string,
    readonly environment: Readonly<Record<string, string>>,
    private readonly database: ServerDatabase | null,
    readonly adminKey: string,
  ) {}

  /**
   * @param environment variables that override the common settings of all specs
   * @param prepare fills the new database before the service starts on it, instead of an empty migrated one
   */
  static async start(
    environment: Readonly<Record<string, string>> = {},
    prepare?: (environment: Readonly<Record<string, string>>) => Promise<void>,
  ): Promise<Service> {
    const dataDir = await mkdtemp(join(tmpdir(), 'lectern-e2e-'));
    const server = process.env['DATABASE_URL'];
    const database = server === undefined ? null : await createServerDatabase(server);
    // Copies a migrated database, because a first start without a copy takes four seconds.
    // test/long/operations/lifecycle tests such a start.
    if (database === null && prepare === undefined) await copyMigrated(join(dataDir, 'postgres'));
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
    await prepare?.(service.environment);
    await service.restart();
    return service;
  }

  get url(): string {
    return this.base;
  }

  /** All output of the running process. */
  get output(): string {
    return this.running.output;
  }

  /** Peak memory of the running process, in MB. */
  peakMegabytes(): Promise<number> {
    return this.running.peakMegabytes();
  }

  /** Current memory of the running process, in MB. */
  presentMegabytes(): Promise<number> {
    return this.running.presentMegabytes();
  }

  /** Like `presentMegabytes`, including the parser processes of the service. */
  presentMegabytesWithReaders(): Promise<number> {
    return this.running.presentMegabytesWithReaders();
  }

  /** Open files and sockets of the running process. */
  openFiles(): Promise<string[]> {
    return this.running.openFiles();
  }

  /** Waits for a text in the output of the running process. */
  printed(text: string): Promise<void> {
    return this.running.printed(text);
  }

  /** A client with the admin key. */
  get client(): Client {
    return new Client(this.base, this.adminKey);
  }

  as(key: string | null): Client {
    return new Client(this.base, key);
  }

  /** Starts a new process on the same data. The previous process must have ended. */
  async restart(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    this.running = ServiceProcess.spawn({ ...this.environment, ...environment });
    this.base = await this.running.url();
  }

  /** Sends SIGKILL, which the process cannot handle. */
  async kill9(): Promise<Ended> {
    return this.running.kill('SIGKILL');
  }

  /** Waits until the process ends by itself. */
  ended(): Promise<Ended> {
    return this.running.end();
  }

  /** Sends SIGTERM. @returns how the process ended. */
  async terminate(): Promise<Ended> {
    return this.running.kill('SIGTERM');
  }

  /** Stops the process and removes its data. */
  async stop(): Promise<void> {
    await this.running.kill('SIGTERM');
    await this.database?.drop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
