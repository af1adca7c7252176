// tenant-predicates.mjs FOLDER: checks the SQL statements of the service that
// test/tenancy/predicates/record-statements.cjs has recorded in FOLDER. Fails if a statement uses a tenant table
// without a condition on the tenant, or with conditions on two tenants.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tenantOf } from '../dist/auth/scope.js';
import { TENANT_TABLES, tenantUses } from '../test/tenancy/predicates/tenant-predicates.mjs';

/** Statements that need no condition on the tenant: source file, text, and reason. */
const FOR_ALL_TENANTS = [
  [/^src\/database\/migrations\//, /./, 'a migration changes the rows of every tenant'],
  [
    /^(maintenance\/reindexer|src\/chunks\/vectors\/vector-space)\.ts$/,
    /./,
    'vectors of one model for the whole installation',
  ],
  [/^src\/ingestion\/job-queue\.ts$/, /\bingestion_jobs\b/, 'workers serve the tenants in turn'],
  [
    /^src\/corpus\/vector-stores\/detached-files\.repository\.ts$/,
    /^delete from detached_files where detached_at/,
    'one sweep removes the old places of all tenants',
  ],
  [
    /^src\/ingestion\/object-tombstones\.ts$/,
    /\bobject_removals\b/,
    'one sweep removes the objects of all tenants',
  ],
  [
    /^src\/events\/webhooks\/webhook-(followers|sender)\.ts$/,
    /^select (distinct )?w\.app_id\b/,
    'workers follow and send the webhooks of all tenants',
  ],
  [/^src\/openai\/expiry-sweep\.ts$/, /\bexpires_a/, 'one sweep finds expired files and vector stores'],
  [
    /^src\/openai\/batches\/file-batch-worker\.ts$/,
    /^select b\.app_id/,
    'a start resumes the batches of all tenants',
  ],
  [/^src\/storage\/store-ownership\.ts$/, /^select exists/, 'an object store belongs to one database'],
  [
    /^src\/chunks\/chunk\.repository\.ts$/,
    /^select coalesce\(sum\(chunk_count\)/,
    'the count of all chunks decides whether there is an index',
  ],
  [
    /^src\/operations\/health\/recent-texts\.ts$/,
    /^select left\(c\.content, 500\)/,
    'a sample of all texts for the operator',
  ],
  [
    /^src\/operations\/health\/health\.service\.ts$/,
    /^select state, count\(\*\)/,
    'the operator sees the jobs of all tenants',
  ],
  [
    /^src\/operations\/metrics\/installation-counts\.ts$/,
    /\b(count|sum)\(|^explain/,
    'the metrics of the installation',
  ],
  [
    /^src\/operations\/logs\/operation-log\.ts$/,
    /^delete from operation_log where logged_at/,
    'old entries of all tenants expire',
  ],
  [/^maintenance\/deep\/tenants\.ts$/, /^select t\.app_id/, 'the operator looks for rows without a tenant'],
  [/^maintenance\/deep\/vectors\.ts$/, /^select value from service_state/, 'all vectors are from one model'],
  [
    /^maintenance\/deep\/files\.ts$/,
    /^select key from object_removals/,
    'the operator looks for files of all tenants',
  ],
  [/^maintenance\/distribute\.ts$/, /^select split_part\(app_id/, 'the largest tenants of the installation'],
  [/^maintenance\/move\/export\.ts$/, /\bapps a where\b/, 'an export of the whole installation'],
  [
    /^maintenance\/move\/restore\.ts$/,
    /^select 1 from (chunks|pages) where/,
    'a vector of any tenant fixes the model',
  ],
  [
    /^maintenance\/move\/replaced-tenants\.ts$/,
    /^with replaced/,
    'a restore lists what it has replaced, with its tenants',
  ],
  [
    /^src\/corpus\/document-event\.repository\.ts$/,
    /^delete from document_events e where e\.happened_at/,
    'old events of all tenants expire',
  ],
  [
    /^src\/events\/webhooks\/(delivery|webhook)\.repository\.ts$/,
    /^select distinct w\.app_id|^select w\.app_id|^delete from webhook_deliveries v where v\.happened_at/,
    'workers serve the webhooks of all tenants, and old deliveries of all tenants expire',
  ],
  [
    /^src\/auth\/audit\/audit-log\.ts$/,
    /^INSERT INTO "audit_log"/,
    'entries of several tenants are written together, each with its own',
  ],
  [
    /^src\/auth\/audit\/audit-log\.ts$/,
    /left join audit_seals/,
    'the operator exports the whole audit log, or that of a tenant',
  ],
  [
    /^src\/auth\/audit\/audit-sealing\.ts$/,
    /\border by e\.logged_at/,
    'one sweep chains the entries of all tenants',
  ],
  [/^maintenance\/deep\/audit\.ts$/, /^with recursive logged/, 'the operator checks the log of all tenants'],
  [/^maintenance\/audit-cut\.ts$/, /^with kept/, 'the operator deletes old entries of all tenants'],
  [
    /^src\/quotas\/quotas\.service\.ts$/,
    /^delete from quota_counts/,
    'a start counts the stocks of all tenants anew',
  ],
  [/^src\/http\/rate-limit\.ts$/, /^delete from rate_limits/, 'past windows of all tenants are deleted'],
  [/^src\/auth\/first-key\.ts$/, /"api_keys"/, 'the first start creates a key if no tenant has one'],
];

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node scripts/tenant-predicates.mjs FOLDER');

const statements = new Map();
for (const name of readdirSync(folder)) {
  for (const line of readFileSync(join(folder, name), 'utf8').trim().split('\n')) {
    const { text, values, source } = JSON.parse(line);
    if (/^(src|maintenance)\//.test(source) && !source.endsWith('.spec.ts'))
      statements.set(`${source}\n${text}`, { text, values, source });
  }
}

const isForAll = ({ source, text }) =>
  FOR_ALL_TENANTS.some(([files, pattern]) => files.test(source) && pattern.test(text.trim()));

const tables = new Set();
let uses = 0;
let faults = 0;
const fault = (source, text, why) => {
  faults += 1;
  console.log(`${source}: ${why}\n${text.trim().replace(/^/gm, '    ')}\n`);
};
for (const statement of statements.values()) {
  const { text, values, source } = statement;
  const found = await tenantUses(text);
  uses += found.length;
  for (const { table, bound } of found) {
    tables.add(table);
    if (!bound && !isForAll(statement)) fault(source, text, `no tenant in the condition on ${table}`);
  }
  const given = found.flatMap(({ parameters }) => parameters).map((number) => values[number - 1]);
  const tenants = new Set(given.map((value) => (typeof value === 'string' ? tenantOf(value) : value)));
  if (tenants.size > 1 && !isForAll(statement))
    fault(source, text, `conditions on the tenants ${[...tenants].join(', ')}`);
}
const unseen = [...TENANT_TABLES].filter((table) => !tables.has(table));
console.log(
  `${statements.size} statements, ${uses} uses of ${tables.size} of ${TENANT_TABLES.size} tables of tenants` +
    `${unseen.length === 0 ? '' : ` (not ${unseen.join(', ')})`}, ${faults} faults`,
);
process.exitCode = faults === 0 && statements.size > 0 ? 0 : 1;
