// access-predicates.mjs FOLDER: checks the SQL statements of the service that
// test/tenancy/predicates/record-statements.cjs has recorded in FOLDER. Fails if a statement returns rows of owned things
// without the condition on their readers, and no variant of the statement with this condition was recorded. A caller who
// reads everything of the tenant sends the statement without the condition, every other caller with it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessUses, withoutAccess } from '../test/tenancy/predicates/access-predicates.mjs';

/** Statements that need no condition on the readers: source file, text, and reason. */
const NOT_FOR_CALLERS = [
  [
    /^src\/(database|maintenance|ingestion|operations\/(health|metrics|apps)|auth)\//,
    /./,
    'the service itself',
  ],
  [/^src\/documents\/document-removal\.ts$/, /./, 'documents that the caller has locked'],
  [/^src\/corpus\/summary\.repository\.ts$/, /^select from/, 'a lock on a thing that the caller has found'],
  [
    /^src\/corpus\/folder(-sight|\.repository)\.ts$/,
    /\bfolders f\b/,
    'names of folders by what their documents show',
  ],
  [
    /^src\/corpus\/vector-stores\/vector-store\.repository\.ts$/,
    /\bfolders f\b/,
    'stores, by the names of their folders',
  ],
  [
    /^src\/corpus\/folder-documents\.repository\.ts$/,
    /for no key update of d$/,
    'a lock on every document of a folder',
  ],
  [
    /^src\/corpus\/vector-stores\/store-file\.repository\.ts$/,
    /for no key update of d$/,
    'a lock on every copy of a file',
  ],
  [/^src\/openai\/(expiry-sweep|batches\/file-batch-worker)\.ts$/, /./, 'work in the background'],
  [
    /^src\/openai\/batches\/file-batch\.repository\.ts$/,
    /^select b\.app_id|for update of e/,
    'work in the background',
  ],
  [
    /^src\/operations\/usage\/usage\.service\.ts$/,
    /^(?![^]*readers)/,
    'the storage of the whole tenant: for others the statement has further conditions',
  ],
  [/./, /^(insert|update|delete)\b/, 'a change of rows that the caller has found'],
];

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node scripts/access-predicates.mjs FOLDER');

const statements = new Map();
for (const name of readdirSync(folder)) {
  for (const line of readFileSync(join(folder, name), 'utf8').trim().split('\n')) {
    const { text, source } = JSON.parse(line);
    if (source.startsWith('src/') && !source.endsWith('.spec.ts')) {
      statements.set(`${source}\n${text}`, { text: text.trim(), source });
    }
  }
}

const isOfService = ({ source, text }) =>
  NOT_FOR_CALLERS.some(([files, pattern]) => files.test(source) && pattern.test(text));

/** Statements with the condition on every use, without it. */
const proved = new Set();
const open = [];
let uses = 0;
for (const statement of statements.values()) {
  const found = await accessUses(statement.text);
  if (found.length === 0 || isOfService(statement)) continue;
  uses += found.length;
  if (found.every(({ bound }) => bound)) proved.add(withoutAccess(statement.text));
  else open.push(statement);
}
const faults = open.filter(({ text }) => !proved.has(withoutAccess(text)));
for (const { source, text } of faults) {
  console.log(`${source}: no condition on the readers\n${text.replace(/^/gm, '    ')}\n`);
}
console.log(`${statements.size} statements, ${uses} uses of owned things, ${faults.length} faults`);
process.exitCode = faults.length === 0 && uses > 0 ? 0 : 1;
