import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serverUrl } from './server-database.js';

const run = promisify(execFile);
const SCRIPT = 'scripts/start-pgbouncer.sh';

const isInstalled =
  spawnSync('pgbouncer', ['--version'], { env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` } })
    .status === 0;

/** Tests that need a server and pgbouncer. If one of these is missing, skips the tests, and their title names it. */
export const onPgBouncer = (name: string, tests: () => void): void => {
  if (serverUrl === undefined) describe.skip(`${name} (needs DATABASE_URL)`, tests);
  else if (!isInstalled)
    describe.skip(`${name} (needs the program pgbouncer: apt-get install pgbouncer)`, tests);
  else describe(name, tests);
};

/** Starts PgBouncer in transaction mode in front of a database, with `scripts/start-pgbouncer.sh`. */
export class PgBouncer {
  private constructor(
    private readonly folder: string,
    /** URL of the database through PgBouncer. */
    readonly url: string,
  ) {}

  /**
   * @param target URL of the database
   * @param environment variables of the script, which documents them
   */
  static async start(target: string, environment: Readonly<Record<string, string>> = {}): Promise<PgBouncer> {
    const folder = await mkdtemp(join(tmpdir(), 'lectern-pgbouncer-'));
    const { stdout } = await run(SCRIPT, [target, folder], { env: { ...process.env, ...environment } });
    return new PgBouncer(folder, stdout.trim());
  }

  async stop(): Promise<void> {
    await run(SCRIPT, ['--stop', this.folder]);
    await rm(this.folder, { recursive: true, force: true });
  }
}
