import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Logger } from '@nestjs/common';
import { readSettings } from '../../src/index.js';
import { parseCommandLine, UsageError } from './command.js';
import { moved, moveProgress } from './move-progress.js';
import { requireDatabase } from './require-database.js';

export const USAGE = `Usage: lectern export [--app TENANT] [--output FILE]

Writes a snapshot of documents, files, vectors, folders, chats, responses, vector stores, jobs and keys to one stream for
"lectern restore". It calls no model. It reads the settings of the service. An embedded database must not be in use by a
service; with DATABASE_URL the service may run.

  --app TENANT          exports this tenant only (default: all tenants)
  --output FILE         writes this new file (default: stdout)
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

/** Runs `work` with a new file for its output, and removes the file if `work` fails. */
async function toFile<T>(path: string, work: (out: Writable) => Promise<T>): Promise<T> {
  const out = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  try {
    const result = await work(out);
    out.end();
    await finished(out);
    return result;
  } catch (error) {
    out.destroy();
    if (!out.pending) await rm(path, { force: true }); // the file was opened, so this call created it
    throw error;
  }
}
