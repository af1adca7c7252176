import { createInterface } from 'node:readline/promises';
import { Logger } from '@nestjs/common';
import { readSettings } from '../../../src/index.js';
import type { CheckReport } from '../../../maintenance/index.js';
import { requireDatabase } from '../require-database.js';
import { print as printLine, printJson } from '../output.js';

export interface DeepOptions {
  /** Tenant to check; null: the whole installation. */
  readonly appId: string | null;
  readonly isRepairing: boolean;
  /** Repairs without asking for confirmation. */
  readonly isConfirmed: boolean;
  /** Prints one JSON object instead of human-readable lines. */
  readonly isJson: boolean;
  /** Deletes what repairs have kept, and checks nothing. */
  readonly isDiscarding: boolean;
  /** Removes secrets from a line. */
  readonly redact: (line: string) => string;
}

/** Checks every invariant of the stored data and prints the results. @returns whether the data is sound */
export async function deepDoctor({
  appId,
  isRepairing,
  isConfirmed,
  isJson,
  isDiscarding,
  redact,
}: DeepOptions): Promise<boolean> {
  const settings = readSettings(process.env);
  await requireDatabase(settings);
  Logger.overrideLogger(['error', 'warn']);
  const { entities } = await import('../../../src/parts.js');
  const { withDeepCheck } = await import('../../../maintenance/index.js');
  const print = (line: string): void => {
    if (!isJson) printLine(redact(line));
  };
  const printProcessing = (count: number): void => {
    if (count === 0) return;
    print(
      `note  documents being processed: ${count}. They were not checked: run the check again when a service has ingested them`,
    );
  };
  if (isDiscarding) {
    const { rows, files } = await withDeepCheck(settings, entities, appId, (deep) => deep.discard());
    print(`Discarded ${rows} rows and ${files} files that repairs had kept`);
    return true;
  }
  const reports = await withDeepCheck(settings, entities, appId, async (deep) => {
    const found = await deep.look((report) => {
      print(printed(report));
    });
    const repairable = found.filter(({ count, isRepairable }) => isRepairable && count > 0);
    printProcessing(await deep.processing());
    if (!isRepairing || repairable.length === 0) return found;
    print('\nThe repair does the following:');
    for (const { name, count, remedy } of repairable) print(`  ${name} (${count}): ${remedy}`);
    if (!isConfirmed && !(await isAgreed())) {
      print('\nNothing was changed. --yes repairs without asking.');
      return found;
    }
    print('');
    const after = await deep.repair(found, ({ name }) => {
      print(`repairing ${name}`);
    });
    print('\nAfter the repair:');
    for (const report of after) if (isDamage(report)) print(printed(report));
    printProcessing(await deep.processing());
    const kept = await deep.kept();
    if (kept > 0)
      print(
        `\nThe ${kept} replaced rows are kept. After your next backup run "lectern doctor --deep --discard"`,
      );
    return after;
  });
  const left = reports.filter(isDamage);
  if (isJson) printJson(JSON.parse(redact(JSON.stringify({ sound: left.length === 0, checks: reports }))), 2);
  print(
    left.length === 0
      ? `\n${reports.length} checks, no damage`
      : `\n${reports.length} checks, ${left.length} found damage`,
  );
  return left.length === 0;
}

function isDamage({ count, failure, isNote }: CheckReport): boolean {
  return (count > 0 && !isNote) || failure !== null;
}

/**
 * Formats the report of a check: one line if the data is sound, otherwise more lines with examples of the damage and
 * the remedy.
 */
function printed({
  name,
  rule,
  count,
  examples,
  remedy,
  isRepairable,
  isNote,
  failure,
}: CheckReport): string {
  if (failure !== null) return `fail  ${name}: could not be checked (${failure})`;
  if (count === 0) return `ok    ${name}`;
  const more = count > examples.length ? [`      … ${count - examples.length} more`] : [];
  return [
    `${isNote ? 'note' : 'fail'}  ${name}: ${count}. ${rule}`,
    ...examples.map((example) => `      ${example}`),
    ...more,
    `      ${isRepairable ? '--repair: ' : ''}${remedy}`,
  ].join('\n');
}

async function isAgreed(): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question('Repair now? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}
