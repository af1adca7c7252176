import type { QueryRunner } from 'typeorm';
import { tableLines, type TableContext } from '#reader';
import { analyseDocument } from '../../lexical/analyse.js';
import { impactsOf, indexKeys, TERM_NUMBERS } from '../../lexical/inverted-index.js';
import type { DescribedMigration } from './described-migration.js';

/** A chunk that contains a number with thousands separators. */
interface Chunk {
  readonly document_id: string;
  readonly chunk_number: number;
  readonly revision: string;
  readonly content: string;
  /** JSON of the context; empty without a context. */
  readonly context: string;
  readonly terms: readonly string[];
  readonly is_live: boolean;
  readonly is_shared: boolean;
}

/** Indexes numbers with thousands separators also without them, so that a question finds either spelling. */
export class GroupedNumbers1700000044500 implements DescribedMigration {
  readonly about = 'indexes numbers with thousands separators also without them';

  async up(queryRunner: QueryRunner): Promise<void> {
    const tenants = (await queryRunner.query('select app_id from corpus_stats')) as { app_id: string }[];
    for (const { app_id: appId } of tenants) {
      // Writers lock this row before the rows of terms. The change of the row ends the caches of term statistics.
      await queryRunner.query('update corpus_stats set chunk_count = chunk_count where app_id = $1', [appId]);
      let after: Chunk | undefined;
      do {
        const chunks = await nextChunks(queryRunner, appId, after);
        await index(queryRunner, appId, chunks);
        after = chunks.at(-1);
      } while (after !== undefined);
    }
  }

  /** Keeps the additional terms, which an older version neither asks for nor counts otherwise. */
  async down(): Promise<void> {
    // Nothing to undo.
  }
}

const BATCH = 500;

const DIGIT = '[0-9٠-٩۰-۹０-９]';
const MAY_BE_GROUPED = `${DIGIT}[.,，'’＇٬  \u00a0\u2009\u202f]${DIGIT}{2}`;

async function nextChunks(queryRunner: QueryRunner, appId: string, after?: Chunk): Promise<Chunk[]> {
  return (await queryRunner.query(
    `select c.document_id, c.chunk_number, c.revision::text, c.content, c.context, c.terms::text[] as terms,
       c.revision = any(d.live_revisions) as is_live, d.in_shared_statistics as is_shared
     from chunks c join documents d on d.app_id = $1 and d.external_id = c.document_id
     where c.app_id = $1 and (c.content ~ $2 or c.context ~ $2)
       and (c.document_id, c.chunk_number, c.revision) > ($3::uuid, $4::integer, $5::bigint)
     order by c.document_id, c.chunk_number, c.revision limit ${BATCH}`,
    [
      appId,
      MAY_BE_GROUPED,
      after?.document_id ?? '00000000-0000-0000-0000-000000000000',
      after?.chunk_number ?? -1,
      after?.revision ?? '-1',
    ],
  )) as Chunk[];
}

async function index(queryRunner: QueryRunner, appId: string, chunks: readonly Chunk[]): Promise<void> {
  const changes = new Map<string, { all: number; shared: number }>();
  const changed = chunks.flatMap((chunk) => {
    const impacts = impactsOf(analyseDocument(textOf(chunk)));
    const keys = indexKeys(appId, impacts).map(String);
    const [before, now] = [new Set(chunk.terms), new Set(keys)];
    const [added, removed] = [
      keys.filter((key) => !before.has(key)),
      chunk.terms.filter((key) => !now.has(key)),
    ];
    if (added.length + removed.length === 0) return [];
    for (const [list, by] of [
      [added, 1],
      [removed, -1],
    ] as const) {
      for (const key of chunk.is_live ? list : []) {
        const { all, shared } = changes.get(key) ?? { all: 0, shared: 0 };
        changes.set(key, { all: all + by, shared: shared + (chunk.is_shared ? by : 0) });
      }
    }
    const elements = Array.from(impacts, ([term, impact]) => `${term}:${impact}`);
    return [{ chunk, keys: keys.join(' '), impacts: `{${elements.join(',')}}/${TERM_NUMBERS}` }];
  });
  if (changed.length === 0) return;
  await queryRunner.query(
    `update chunks c set terms = string_to_array(r.terms, ' ')::bigint[], impacts = r.impacts::sparsevec
     from unnest($2::uuid[], $3::integer[], $4::bigint[], $5::text[], $6::text[])
       as r(document_id, chunk_number, revision, terms, impacts)
     where c.app_id = $1 and c.document_id = r.document_id and c.chunk_number = r.chunk_number
       and c.revision = r.revision`,
    [
      appId,
      changed.map(({ chunk }) => chunk.document_id),
      changed.map(({ chunk }) => chunk.chunk_number),
      changed.map(({ chunk }) => chunk.revision),
      changed.map(({ keys }) => keys),
      changed.map(({ impacts }) => impacts),
    ],
  );
  await queryRunner.query(
    `insert into term_stats (app_id, key, chunk_count, shared_count)
     select $1, r.key, r.change, r.shared_change
     from unnest($2::bigint[], $3::integer[], $4::integer[]) as r(key, change, shared_change)
     on conflict (app_id, key) do update set chunk_count = term_stats.chunk_count + excluded.chunk_count,
       shared_count = term_stats.shared_count + excluded.shared_count`,
    [
      appId,
      [...changes.keys()],
      Array.from(changes.values(), ({ all }) => all),
      Array.from(changes.values(), ({ shared }) => shared),
    ],
  );
  await queryRunner.query(
    'delete from term_stats where app_id = $1 and key = any($2::bigint[]) and chunk_count <= 0',
    [appId, [...changes.keys()]],
  );
}

/** The indexed text of a chunk: a piece of a table is also indexed by the table's caption and header. */
function textOf({ content, context }: Chunk): string {
  const table =
    context === '' ? null : (JSON.parse(context) as { readonly table: TableContext | null }).table;
  return [...(table === null ? [] : tableLines(table)), content].join('\n');
}
