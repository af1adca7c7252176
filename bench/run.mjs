/**
 * `npm run bench [-- NAME...]`: runs the named measures, or all, prints a table for each and writes
 * bench/results/NAME.json. `--list` prints the names. See docs/project/performance.md.
 *
 * A measure is `{ name, about, run(context) }`; `run` resolves to a report (report.mjs), or to `{ skipped:
 * reason }`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { machine } from './machine.mjs';
import { printReport } from './report.mjs';
import { access } from './measures/access.mjs';
import { attacks } from './measures/attacks.mjs';
import { answers } from './measures/answers.mjs';
import { cluster } from './measures/cluster.mjs';
import { citation } from './measures/citation.mjs';
import { completion } from './measures/completion.mjs';
import { faithful } from './measures/faithful.mjs';
import { filtered } from './measures/filtered.mjs';
import { growth } from './measures/growth.mjs';
import { identifiers } from './measures/identifiers.mjs';
import { imageQuestions } from './measures/image-questions.mjs';
import { ingestion } from './measures/ingest.mjs';
import { languageQuality } from './measures/languages.mjs';
import { lateInteraction } from './measures/late-interaction.mjs';
import { pages } from './measures/pages.mjs';
import { peers } from './measures/peers.mjs';
import { quality } from './measures/quality.mjs';
import { readmes } from './measures/readmes.mjs';
import { readingOrder } from './measures/reading-order.mjs';
import { reports } from './measures/reports.mjs';
import { start } from './measures/start.mjs';
import { tables } from './measures/tables.mjs';
import { update } from './measures/update.mjs';

const MEASURES = [
  start,
  filtered,
  access,
  attacks,
  growth,
  peers,
  quality,
  identifiers,
  languageQuality,
  readmes,
  pages,
  lateInteraction,
  imageQuestions,
  ingestion,
  reports,
  update,
  completion,
  citation,
  answers,
  tables,
  faithful,
  readingOrder,
  cluster,
];
const RESULTS = new URL('results/', import.meta.url);

const wanted = process.argv.slice(2).filter((argument) => argument !== '--');
if (wanted.includes('--list')) {
  for (const { name, about } of MEASURES) console.log(`${name.padEnd(16)} ${about}`);
  process.exit(0);
}
const unknown = wanted.filter((name) => !MEASURES.some((measure) => measure.name === name));
if (unknown.length > 0) {
  console.error(
    `Unknown measure: ${unknown.join(', ')}. Known: ${MEASURES.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(1);
}

const databaseUrl = process.env.DATABASE_URL;
const context = {
  databaseUrl,
  machine: await machine(databaseUrl),
  /** Progress messages, which are not part of the result. */
  say: (text) => console.error(`  ${text}`),
};
mkdirSync(RESULTS, { recursive: true });
for (const measure of MEASURES) {
  if (wanted.length > 0 && !wanted.includes(measure.name)) continue;
  console.log(`\n# ${measure.name}: ${measure.about}`);
  const report = await measure.run(context);
  if ('skipped' in report) {
    console.log(`skipped: ${report.skipped}`);
    continue;
  }
  printReport(report, context.machine);
  const result = {
    measure: measure.name,
    date: new Date().toISOString(),
    machine: context.machine,
    ...report,
  };
  writeFileSync(new URL(`${measure.name}.json`, RESULTS), `${JSON.stringify(result, null, 2)}\n`);
}
