import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Logger } from '@nestjs/common';
import { readSettings, StartRefused } from '../../src/index.js';
import { parseCommandLine, UsageError } from './command.js';
import { moved, moveProgress } from './move-progress.js';
import { requireDatabase } from './require-database.js';

export const USAGE = `Usage: lectern export [--app TENANT] [--output FILE]

Writes a snapshot of documents, files, vectors, folders, chats, responses, vector stores, jobs and keys to one stream for
"lectern restore". It calls no model. It reads the settings of the service. An embedded database must not be in use by a
service; with DATABASE_URL the service may run.

  --app TENANT          exports this tenant only (default: all tenants)
  --output FILE         writes this new file (default: stdout), called FILE.partial until it is complete
  --help                prints this help
  --version             prints the version

The export contains texts, files and the hashes of sign-in links, but no secret that signs keys.`;

/** `lectern export`: writes tenants to a file or to stdout. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseCommandLine({
    args: [...args],
    options: { app: { type: 'string' }, output: { type: 'string' } },
  });
  if (values.output === undefined && process.stdout.isTTY) {
    throw new UsageError('name a file with --output, or redirect stdout');
  }
  const settings = readSettings(process.env);
  await requireDatabase(settings);
  Logger.overrideLogger(['error']); // stdout is reserved for the export
  const { entities } = await import('../../src/parts.js');
  const { exportTenants } = await import('../../maintenance/index.js');
  const progress = moveProgress('exported');
  const write = (out: Writable): ReturnType<typeof exportTenants> =>
    exportTenants(settings, entities, { out, appId: values.app ?? null, report: progress.report });
  const totals = await (values.output === undefined ? write(process.stdout) : toFile(values.output, write));
  progress.end(moved('Exported', totals));
}

/** Reasons why a file cannot be written, by the code of the error. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk is full',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
};

/**
 * Runs `work` with a new file for its output. The file has a name that ends with `.partial` until it is complete.
 * @throws StartRefused, with the reason, if the file exists or cannot be written
 */
async function toFile<T>(path: string, work: (out: Writable) => Promise<T>): Promise<T> {
  if (existsSync(path)) throw new StartRefused(`${path} exists: name a new file with --output`);
  const partial = `${path}.partial`;
  try {
    const file = await open(partial, 'w', 0o600);
    const out = file.createWriteStream({ flush: true });
    const result = await work(out);
    out.end();
    await finished(out);
    await rename(partial, path);
    return result;
  } catch (error) {
    const { code, path: at } = error as NodeJS.ErrnoException;
    const isOfFile = at === partial || code === 'ENOSPC' || code === 'EDQUOT';
    if (at !== partial) await rm(partial, { force: true });
    if (!isOfFile) throw error;
    throw new StartRefused(
      `${path} cannot be written (${REASONS[code ?? ''] ?? code}): name another file with --output`,
      {
        cause: error,
      },
    );
  }
}
