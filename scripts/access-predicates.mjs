// access-predicates.mjs FOLDER: checks the SQL statements of the service that
// test/tenancy/predicates/record-statements.cjs has recorded in FOLDER. Fails if a statement returns rows of owned things
// without the condition on their readers, and no statement of the same kind with this condition was recorded. A caller who
// reads everything of the tenant sends the statement without the condition, every other caller with it. Statements of one
// source file are of one kind if they begin alike and read the same tables: one function builds them, for any filter.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessUses, kindOf } from '../test/tenancy/predicates/access-predicates.mjs';

/** Statements that need no condition on the readers: source file, text, and reason. */
const NOT_FOR_CALLERS = [
  [
    /^(maintenance|src\/(database|ingestion|storage|operations\/(health|metrics|apps)|auth))\//,
    /./,
    'the service itself',
  ],
  [/^src\/quotas\/use-counts\.ts$/, /./, 'quotas count what others may not read, and return numbers only'],
  [
    /^src\/operations\/people\/(people-list\.repository|person-(export|removal))\.ts$/,
    /\b[df]\.end_user_id = /,
    'what a person owns, for an administrator who reads everything',
  ],
  [
    /^src\/chats\/links\/chat-link\.repository\.ts$/,
    /\bl\.link_id = \$\d+/,
    'a chat by its link; each answer goes to those who may read its sources',
  ],
  [/^src\/documents\/document-removal\.ts$/, /./, 'documents that the caller has locked'],
  [
    /^src\/(corpus\/folder-owner\.repository|folders\/left-folders\.service)\.ts$/,
    /./,
    'the folders of a person who is removed, for an administrator who reads everything',
  ],
  [/^src\/corpus\/summary\.repository\.ts$/, /^select from/, 'a lock on a thing that the caller has found'],
  [
    /^src\/(corpus\/folder(-sight|(-list|-tree)?\.repository)|folders\/folder(-details|-tree)?\.service)\.ts$/,
    /\bfolders [fg]\b/,
    'names of folders by what their documents show',
  ],
  [/^src\/corpus\/folder-remains\.ts$/, /./, 'who would see a folder at its new path: nothing is answered'],
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
    /^src\/corpus\/folder-documents\.repository\.ts$/,
    /^select distinct d\.owner, d\.access, d\.folder_access\b/,
    'whether every document of a folder may be changed',
  ],
  [
    /^src\/corpus\/vector-stores\/store-file\.repository\.ts$/,
    /for no key update of d$/,
    'a lock on every copy of a file',
  ],
  [
    /^src\/corpus\/vector-stores\/store-file\.repository\.ts$/,
    /^select f\.file_id as id from files f\b/,
    'whether the files of documents that the caller has locked are deleted',
  ],
  [
    /^src\/chunks\/chunk\.repository\.ts$/,
    /^(with bounded\b[^]*?)?select\s+coalesce\(\(select s\.chunk_count/,
    'statistics for the plan of a search: no row of a document',
  ],
  [
    /^src\/chunks\/chunk-writer\.ts$/,
    /\bd\.in_shared_statistics\b/,
    'word statistics of documents that the caller has locked',
  ],
  [
    /^src\/corpus\/vector-stores\/detached-files\.repository\.ts$/,
    /^select distinct on/,
    'documents that the caller has locked to delete or move them',
  ],
  [
    /^src\/(documents\/(files\/file-contents|pages\/(pages\.service|page-views))|corpus\/document-text\.repository)\.ts$/,
    /\b[tp]\.document_id = \$\d+::uuid/,
    'the text and the pages of a document that the caller has found',
  ],
  [
    /^src\/pages\/page\.repository\.ts$/,
    /^select coalesce\(max\(p\.page_number\), 0\)/,
    'the pages of a document that the caller has found',
  ],
  [
    /^src\/chunks\/chunk\.repository\.ts$/,
    /^select c\.context, c\.content_type, c\.start_offset/,
    'the chunks of a document that the caller has found',
  ],
  [/^src\/openai\/(expiry-sweep|batches\/file-batch-worker)\.ts$/, /./, 'work in the background'],
  [
    /^src\/corpus\/vector-stores\/file-batch\.repository\.ts$/,
    /^select b\.app_id|for update of e/,
    'work in the background',
  ],
  [
    /^src\/operations\/usage\/usage\.service\.ts$/,
    /^(?![^]*readers)/,
    'the storage of the whole tenant: for others the statement has further conditions',
  ],
  [
    /^src\/corpus\/document\.repository\.ts$/,
    /\(d\.storage_files <> '\[\]' or/,
    'documents that the caller has locked to delete them',
  ],
  [
    /^src\/chunks\/chunk\.repository\.ts$/,
    /c\.chunk_number >= d\.chunk_count - 2/,
    'the last chunks of a document that the caller has locked',
  ],
  [
    /./,
    /^(insert|update|delete)\b|\b(insert into|delete from)\b/,
    'a change of rows that the caller has found',
  ],
];

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node scripts/access-predicates.mjs FOLDER');

const statements = new Map();
for (const name of readdirSync(folder)) {
  for (const line of readFileSync(join(folder, name), 'utf8').trim().split('\n')) {
    const { text, source } = JSON.parse(line);
    if (/^(src|maintenance)\//.test(source) && !source.endsWith('.spec.ts')) {
      statements.set(`${source}\n${text}`, { text: text.trim(), source });
    }
  }
}

const isOfService = ({ source, text }) =>
  NOT_FOR_CALLERS.some(([files, pattern]) => files.test(source) && pattern.test(text));

/** Searches ask whether the tenant has vector stores; only the rooms of folders return rows of folders. */
const isReturned = ({ table }, { source }) => table !== 'folders' || /^src\/(corpus|folders)\//.test(source);

/** Kinds of statements that were recorded with the condition on every table. */
const proved = new Set();
const open = [];
let uses = 0;
for (const statement of statements.values()) {
  const found = (await accessUses(statement.text)).filter((use) => isReturned(use, statement));
  if (found.length === 0 || isOfService(statement)) continue;
  uses += found.length;
  // A statement looks up the rows of a table again after it has chosen them by their readers.
  const isBound = ({ table }) => found.some((use) => use.table === table && use.bound);
  const kind = `${statement.source} ${kindOf(statement.text, found)}`;
  if (found.every(isBound)) proved.add(kind);
  else open.push({ ...statement, kind });
}
const faults = open.filter(({ kind }) => !proved.has(kind));
for (const { source, text } of faults) {
  console.log(`${source}: no condition on the readers\n${text.replace(/^/gm, '    ')}\n`);
}
console.log(`${statements.size} statements, ${uses} uses of owned things, ${faults.length} faults`);
process.exitCode = faults.length === 0 && uses > 0 ? 0 : 1;
