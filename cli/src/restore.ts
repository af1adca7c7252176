import { Logger } from '@nestjs/common';
import { readSettings } from '../../src/index.js';
import { numberOf, parseCommandLine, UsageError } from './command.js';
import { moved, moveProgress } from './move-progress.js';
import { planLines } from './restore-plan.js';
import { printPart } from './output.js';

export const USAGE = `Usage: lectern restore [FILE] [--into TENANT] [--parts N] [--replace] [--dry-run]

Restores the export in FILE (default: stdin) into the installation that the settings of the service name. Creates
missing tenants; existing tenants must be empty, or are replaced. It calls no model. After an interruption, run it again with the same
export: it continues. With the embedded database the service must not be running.

  --into TENANT         id of the tenant to restore into, for an export of one tenant (default: as exported)
  --parts N             divides created tenants into N parts, for a cluster (default: as exported)
  --replace             deletes the data of existing tenants first, also of "default"; needs FILE. Their keys and logs stay
  --dry-run             checks the whole export and lists what would be written; writes nothing
  --help                prints this help
  --version             prints the version

Keys stay valid with the JWT_SECRET of the exported service (embedded: DATA_DIR/jwt-secret), except with another tenant id. Unused sign-in links
are not restored. An export whose rows or files do not belong to its tenants is refused.`;

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommandLine({
    args: [...args],
    options: {
      into: { type: 'string' },
      parts: { type: 'string' },
      replace: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const [file, extra] = positionals;
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
  if (file === undefined && process.stdin.isTTY) throw new UsageError('name a file, or redirect stdin');
  const replace = values.replace === true;
  if (replace && file === undefined) {
    throw new UsageError(
      '--replace needs a file, because an export is checked as a whole before data is deleted',
    );
  }
  const settings = readSettings(process.env);
  Logger.overrideLogger(['error']);
  const { entities, MAX_SHARDS } = await import('../../src/parts.js');
  const { previewRestore, restoreTenants } = await import('../../maintenance/index.js');
  const source = {
    from: file ?? process.stdin,
    options: {
      into: values.into ?? null,
      shards: values.parts === undefined ? null : numberOf('parts', values.parts, 1, MAX_SHARDS),
      replace,
    },
  };
  if (values['dry-run'] === true) {
    const progress = moveProgress('checked');
    const plan = await previewRestore(settings, entities, { ...source, report: progress.report });
    progress.end(moved('Would restore', plan.totals));
    printPart(planLines(plan));
    return;
  }
  const progress = moveProgress('restored');
  const totals = await restoreTenants(settings, entities, { ...source, report: progress.report });
  progress.end(moved('Restored', totals));
}
