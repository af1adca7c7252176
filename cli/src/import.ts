import { addressOf } from './connection/service-address.js';
import { ServiceConnection } from './connection/service-connection.js';
import { DocumentImport, type ImportResult, type Outcome } from './import/document-import.js';
import { parseImportCommand, USAGE } from './import/import-command.js';
import { ImportSource } from './import/import-source.js';
import { reportFailure } from './report-failure.js';

const OUTCOMES: readonly Outcome[] = ['copied', 'there already', 'passed over', 'failed'];

/** `lectern import`: copies folders and documents from another service of the interface family. */
async function main(args: readonly string[]): Promise<void> {
  const command = parseImportCommand(args, process.env);
  const [from, to] = [
    new ServiceConnection(command.from),
    new ServiceConnection(await addressOf(command.to)),
  ];
  await from.reach('Start it, or name another one with --from');
  await to.reach();
  const source = new ImportSource(from);
  const work = new DocumentImport(source, to);
  const folders = await work.folders();
  const total = await source.count();
  const counts = new Map<Outcome, number>();
  let done = 0;
  await work.documents(command.concurrency, (result) => {
    done += 1;
    counts.set(result.outcome, (counts.get(result.outcome) ?? 0) + 1);
    console.error(`${done}/${total} ${lineOf(result)}`);
  });
  const told = OUTCOMES.map((outcome) => `${counts.get(outcome) ?? 0} ${outcome}`);
  console.log(`${folders} folders, ${done} documents: ${told.join(', ')}`);
  if ((counts.get('failed') ?? 0) > 0) process.exitCode = 1;
}

function lineOf({ document, outcome, reason }: ImportResult): string {
  const name = document.filename ?? document.id;
  return `${outcome}: ${name}${reason === undefined ? '' : ` (${reason})`}`;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  reportFailure(error, { usage: USAGE, brief: true });
});
