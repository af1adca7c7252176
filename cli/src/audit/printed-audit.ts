import type { AuditLog, AuditSelection, ChainHead, EntryPlace } from '../../../src/parts.js';
import type { AuditCut } from '../../../maintenance/index.js';
import { UsageError } from '../command.js';
import { print, printJson } from '../output.js';

/** Prints the entries of a selection, at most `limit`. */
export async function printEntries(log: AuditLog, selection: AuditSelection, limit: number): Promise<void> {
  let left = limit;
  for await (const { entry } of log.all(selection)) {
    printJson(entry);
    left -= 1;
    if (left === 0) return;
  }
}

/**
 * Prints the entries of a selection with their places in the chain, and then the heads of the chains. The last line says
 * whether the export is complete: a pipe that breaks leaves none.
 */
export async function printExport(
  log: AuditLog,
  selection: AuditSelection,
  limit: number,
  headOf: (appId: string) => Promise<ChainHead | undefined>,
): Promise<void> {
  const tenants = new Set<string>();
  let count = 0;
  let last: EntryPlace | undefined;
  let next: string | null = null;
  for await (const { entry, seal } of log.all(selection)) {
    if (count === limit) {
      next = last === undefined ? null : `${last.logged_at},${last.entry_id}`;
      break;
    }
    printJson({ position: seal?.position ?? null, hash: seal?.hash ?? null, entry });
    tenants.add(entry.app_id);
    last = entry;
    count += 1;
  }
  for (const appId of [...tenants].sort()) {
    printJson({ head: { app_id: appId, ...(await headOf(appId)) } });
  }
  printJson({ end: { entries: count, next } });
}

export function printCut({ appId, entries, position, hash }: AuditCut): void {
  print(`${appId}: ${entries} entries deleted; the chain begins behind position ${position}, hash ${hash}`);
}

/** Parses the place where a page ended. @throws UsageError */
export function placeOf(text: string | undefined): EntryPlace | null {
  if (text === undefined) return null;
  const [, logged_at, entry_id] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z),(\d{1,18})$/.exec(text) ?? [];
  if (logged_at === undefined || entry_id === undefined) {
    throw new UsageError('--after must be "next" of the last line of an export');
  }
  return { logged_at, entry_id };
}

/** Parses a date or a time of an option. @throws UsageError */
export function timeOf(option: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new UsageError(`--${option} must be a date or a time`);
  return time;
}
