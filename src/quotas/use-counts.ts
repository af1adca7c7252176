import sql, { empty, join, type Sql } from 'sql-template-tag';
import { userPrincipal } from '../access/principal.js';
import { type Scope, shardIds } from '../auth/scope.js';
import { FLOWS, type QuotaKind, type Stock, STOCKS } from '../config/quotas.js';
import { type Queryable, run } from '../database/run.js';

/** How much of one kind a tenant or one of its people has, or has used today. */
export interface CountedUse {
  /** null: everything of the tenant. */
  readonly person: string | null;
  readonly kind: QuotaKind;
  readonly used: number;
  /** End of the day; null for a stock, and for a day without a use. */
  readonly endsAt: Date | null;
}

type Tenant = Pick<Scope, 'appId' | 'shards'>;

interface UseRow extends CountedUse {
  /** Set in the rows of `QUEUED`: the document that the file is for. */
  readonly document: string | null;
}

/** Counts exactly what a tenant or a person has, whoever may read it. */
export async function countStock(
  database: Queryable,
  appId: string,
  person: string | null,
  kind: Stock,
): Promise<number> {
  const [tenant] = await run<{ shards: number }>(
    database,
    sql`select shards from apps where app_id = ${appId}`,
  );
  const [use] = await countUses(database, { appId, shards: tenant?.shards ?? 1 }, [person], [kind]);
  return use?.used ?? 0;
}

/** Counts all kinds for all people in one statement, and in a second one if a person's documents have queued updates. */
export async function countUses(
  database: Queryable,
  tenant: Tenant,
  people: readonly (string | null)[],
  kinds: readonly QuotaKind[],
): Promise<CountedUse[]> {
  if (people.length === 0) return [];
  const rows = await run<UseRow>(database, join(selectsOf(tenant, people, kinds), ' union all '));
  const queued = rows.filter(({ document }) => document !== null);
  const found = rows.filter(({ document }) => document === null);
  const uses: CountedUse[] = [];
  for (const person of people) {
    const waiting = kinds.includes('bytes') ? await queuedBytes(database, tenant, person, queued) : 0;
    for (const kind of kinds) {
      const own = found.filter((row) => row.kind === kind && row.person === person);
      const used = sum(own) + (kind === 'bytes' ? waiting : 0);
      uses.push({ person, kind, used, endsAt: own[0]?.endsAt ?? null });
    }
  }
  return uses;
}

function selectsOf(tenant: Tenant, people: readonly (string | null)[], kinds: readonly QuotaKind[]): Sql[] {
  const stocks = STOCKS.filter((kind) => kinds.includes(kind));
  const flows = FLOWS.filter((kind) => kinds.includes(kind));
  const counts = people.flatMap((person) =>
    stocks.flatMap((kind) =>
      partsWith(kind, tenant).map(
        (
          appId,
        ) => sql`select ${person}::text as person, ${kind}::text as kind, null::text as document, s.used,
          null::timestamptz as "endsAt" from (${STATEMENTS[kind](appId, person)}) s`,
      ),
    ),
  );
  const today = people.map(
    (person) => sql`select ${person}::text, kind, null, used::float8, ends_at from quota_counts
      where app_id = ${tenant.appId} and subject = ${subjectOf(person)} and kind = any(${flows}::text[])
        and ends_at > statement_timestamp()`,
  );
  return [
    ...counts,
    ...(flows.length === 0 ? [] : today),
    ...(stocks.includes('bytes') ? shardIds(tenant).map(QUEUED) : []),
  ];
}

/** Files of updates that are not committed yet. */
const QUEUED = (appId: string): Sql =>
  sql`select null, 'bytes', document_id::text, size::float8, null from ingestion_jobs
    where app_id = ${appId} and payload -> 'update' <> 'null'`;

/** Sums the queued files for the documents of a person. On a cluster jobs and documents are in different places. */
async function queuedBytes(
  database: Queryable,
  tenant: Tenant,
  person: string | null,
  queued: readonly UseRow[],
): Promise<number> {
  if (person === null || queued.length === 0) return sum(queued);
  const ids = [...new Set(queued.map(({ document }) => document))];
  const own = await run<{ id: string }>(
    database,
    join(
      shardIds(tenant).map(
        (appId) => sql`select d.external_id::text as id from documents d
          where d.app_id = ${appId} and d.external_id = any(${ids}::uuid[])${of(sql`d`, person)}`,
      ),
      ' union all ',
    ),
  );
  const isOwn = new Set<string | null>(own.map(({ id }) => id));
  return sum(queued.filter(({ document }) => isOwn.has(document)));
}

function sum(rows: readonly { readonly used: number }[]): number {
  return rows.reduce((total, { used }) => total + used, 0);
}

/** The row of `quota_counts` of a tenant or a person. */
export function subjectOf(person: string | null): string {
  return person === null ? '' : userPrincipal(person);
}

/** The other kinds are in the first shard of a tenant. */
const IN_EVERY_SHARD: readonly Stock[] = ['documents', 'bytes'];

function partsWith(kind: Stock, tenant: Tenant): string[] {
  return IN_EVERY_SHARD.includes(kind) ? shardIds(tenant) : [tenant.appId];
}

const STATEMENTS: Readonly<Record<Stock, (appId: string, person: string | null) => Sql>> = {
  documents: (appId, person) =>
    sql`select count(*)::float8 as used from documents d where d.app_id = ${appId}${of(sql`d`, person)}`,
  /** Uploaded files in all versions, files that are not attached, and texts that came without a file. */
  bytes: (appId, person) => sql`
    select (coalesce((
        select sum(case when d.storage_files = '[]'
          then (select sum(octet_length(t.content)) from document_texts t
                where t.app_id = ${appId} and t.document_id = d.external_id)
          else (select sum((f ->> 'size')::float8) from jsonb_array_elements(d.storage_files) f
                where not exists (select a.document_id from file_attachments a
                  where a.app_id = ${appId} and a.document_id = d.external_id)) end)
        from documents d where d.app_id = ${appId}${of(sql`d`, person)}), 0)
      + coalesce((
        select sum(f.bytes) from files f where f.app_id = ${appId}${of(sql`f`, person)}), 0))::float8 as used`,
  /** With those that people made although others had made them in private: each may become a folder of its own. */
  folders: (appId, person) =>
    person === null
      ? sql`select coalesce(sum(1 + (select count(*) from jsonb_object_keys(f.claims))), 0)::float8 as used
            from folders f where f.app_id = ${appId}`
      : sql`select count(*)::float8 as used from folders f
            where f.app_id = ${appId} and (f.end_user_id = ${person} or jsonb_exists(f.claims, ${person}::text))`,
  stores: (appId, person) =>
    sql`select count(*)::float8 as used from vector_stores v
        join folders f on f.app_id = ${appId} and f.folder_id = v.folder_id
        where v.app_id = ${appId}${of(sql`f`, person)}`,
  chats: (appId, person) =>
    sql`select count(*)::float8 as used from conversations c
        where c.app_id = ${appId}${person === null ? empty : sql` and c.owner = ${userPrincipal(person)}`}`,
  webhooks: (appId, person) =>
    sql`select count(*)::float8 as used from webhooks w
        where w.app_id = ${appId}${person === null ? empty : sql` and w.owner = ${userPrincipal(person)}`}`,
};

function of(row: Sql, person: string | null): Sql {
  return person === null ? empty : sql` and ${row}.end_user_id = ${person}`;
}
