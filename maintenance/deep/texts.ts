import { createHash } from 'node:crypto';
import sql from 'sql-template-tag';
import type { EntityManager } from 'typeorm';
import { run, type Queryable } from '../../src/database/run.js';
import { check, Collected, idsOf, type Check } from './check.js';

interface Damaged {
  readonly id: string;
  readonly note: string;
  /** Whether the text is complete and agrees with the chunks, and only its recorded length or offsets are wrong. */
  readonly isMeasuredWrong: boolean;
}

interface CheckedDocument {
  readonly id: string;
  readonly textLength: number;
}

interface Part {
  readonly documentId: string;
  readonly part: number;
  readonly startOffset: number;
  readonly content: string;
}

interface StoredChunk {
  readonly documentId: string;
  readonly number: number;
  readonly start: number;
  readonly end: number;
  readonly content: string;
  readonly hash: string;
}

/**
 * Number of documents per snapshot, then number of text parts and number of chunks per statement. A part of a text
 * takes up to 3 MB.
 */
const DOCUMENTS = 200;
const PARTS = 16;
const CHUNKS = 500;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Compares the texts of completed documents with their recorded lengths and with their chunks. Reads texts and chunks
 * in streams. Reads each batch of documents in one snapshot, so that concurrent updates are not reported as damage.
 */
export const TEXT_CHECKS: readonly Check[] = [
  check<Damaged>({
    name: 'texts',
    rule: 'A text has all its parts and the recorded length, and each chunk equals the text at its offsets',
    remedy:
      'Record the length again if text and chunks agree; otherwise ingest the document again, from its file or its stored text',
    async find({ dataSource }, appId, limit) {
      const found = new Collected<Damaged>(limit);
      for (let after = FIRST_ID; ;) {
        const last = await dataSource.transaction('REPEATABLE READ', async (manager) => {
          const documents = await completed(manager, appId, after);
          for await (const damaged of compared(manager, appId, documents)) found.add(damaged);
          return documents.at(-1);
        });
        if (last === undefined) return found;
        after = last.id;
      }
    },
    describe: ({ id, note }) => `${id}: ${note}`,
    async repair({ dataSource, rebuild }, appId, damages) {
      for (const { id } of damages.filter(({ isMeasuredWrong }) => isMeasuredWrong)) {
        await dataSource.transaction((manager) => measure(manager, appId, id));
      }
      await rebuild.queue(appId, idsOf(damages.filter(({ isMeasuredWrong }) => !isMeasuredWrong)));
    },
  }),
];

function completed(database: Queryable, appId: string, after: string): Promise<CheckedDocument[]> {
  return run(
    database,
    sql`select external_id::text as id, text_length as "textLength" from documents
        where app_id = ${appId} and external_id > ${after}::uuid and status = 'completed' and progress is null
        order by external_id limit ${DOCUMENTS}`,
  );
}

async function* compared(
  database: Queryable,
  appId: string,
  documents: readonly CheckedDocument[],
): AsyncGenerator<Damaged, void> {
  const ids = documents.map(({ id }) => id);
  const parts = new Ahead(partsOf(database, appId, ids));
  const chunks = new Ahead(chunksOf(database, appId, ids));
  for (const document of documents) {
    const damaged = await compare(document, parts, chunks);
    if (damaged !== null) yield damaged;
  }
}

/** Reads the parts and the chunks of a document side by side. Offsets are UTF-16 code units. */
async function compare(
  { id, textLength }: CheckedDocument,
  parts: Ahead<Part>,
  chunks: Ahead<StoredChunk>,
): Promise<Damaged | null> {
  let wrongOffset: string | null = null;
  let missing: string | null = null;
  let differing: string | null = null;
  let read = 0;
  let count = 0;
  let window = '';
  let windowStart = 0;
  const readPart = async (): Promise<boolean> => {
    const part = await parts.nextIf((one) => one.documentId === id);
    if (part === null) return false;
    if (part.part !== count) missing ??= `part ${count} of the text is missing`;
    if (part.startOffset !== read)
      wrongOffset ??= `part ${count} starts at ${read}, not at ${part.startOffset}`;
    window += part.content;
    read += part.content.length;
    count += 1;
    return true;
  };
  for (;;) {
    const chunk = await chunks.nextIf((one) => one.documentId === id);
    if (chunk === null) break;
    const { number, start, end, content, hash } = chunk;
    while (read < end && (await readPart())) continue;
    window = window.slice(start - windowStart);
    windowStart = start;
    if (read < end) missing ??= `the text ends at ${read}, before chunk ${number}`;
    else if (window.slice(0, end - start) !== content) differing ??= `chunk ${number} differs from the text`;
    else if (createHash('sha256').update(content).digest('hex') !== hash) {
      differing ??= `chunk ${number} has the hash of another text`;
    }
  }
  while (await readPart()) window = '';
  if (read !== textLength) wrongOffset ??= `the text has ${read} characters, not ${textLength}`;
  const note = missing ?? differing ?? wrongOffset;
  return note === null ? null : { id, note, isMeasuredWrong: note === wrongOffset };
}

/** Records the length of a text and the offsets of its parts. */
async function measure(manager: EntityManager, appId: string, id: string): Promise<void> {
  let length = 0;
  for await (const { part, content } of partsOf(manager, appId, [id])) {
    await run(
      manager,
      sql`update document_texts set start_offset = ${length}
          where app_id = ${appId} and document_id = ${id}::uuid and part = ${part} and start_offset <> ${length}`,
    );
    length += content.length;
  }
  await run(
    manager,
    sql`update documents set text_length = ${length} where app_id = ${appId} and external_id = ${id}::uuid`,
  );
}

async function* partsOf(
  database: Queryable,
  appId: string,
  ids: readonly string[],
): AsyncGenerator<Part, void> {
  for (let after: Pick<Part, 'documentId' | 'part'> = { documentId: FIRST_ID, part: -1 }; ;) {
    const rows = await run<Part>(
      database,
      sql`select document_id::text as "documentId", part, start_offset as "startOffset", content from document_texts
          where app_id = ${appId} and document_id = any(${ids}::uuid[])
            and (document_id, part) > (${after.documentId}::uuid, ${after.part}::integer)
          order by document_id, part limit ${PARTS}`,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield* rows;
    after = last;
  }
}

async function* chunksOf(
  database: Queryable,
  appId: string,
  ids: readonly string[],
): AsyncGenerator<StoredChunk, void> {
  type Key = Pick<StoredChunk, 'documentId' | 'start' | 'number'>;
  for (let after: Key = { documentId: FIRST_ID, start: -1, number: -1 }; ;) {
    const rows = await run<StoredChunk>(
      database,
      sql`select c.document_id::text as "documentId", c.chunk_number as number, c.start_offset as start,
            c.end_offset as "end", c.content, encode(c.content_hash, 'hex') as hash
          from chunks c
          join documents d on d.app_id = ${appId} and d.external_id = c.document_id and c.revision = any(d.live_revisions)
          where c.app_id = ${appId} and c.document_id = any(${ids}::uuid[])
            and (c.document_id, c.start_offset, c.chunk_number)
              > (${after.documentId}::uuid, ${after.start}::integer, ${after.number}::integer)
          order by c.document_id, c.start_offset, c.chunk_number limit ${CHUNKS}`,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield* rows;
    after = last;
  }
}

/** A stream with one row of lookahead. */
class Ahead<T> {
  private held: T | null = null;

  constructor(private readonly rows: AsyncGenerator<T, void>) {}

  /** Returns the next row if the condition holds. If not, returns null and keeps the row for the next call. */
  async nextIf(holds: (row: T) => boolean): Promise<T | null> {
    if (this.held === null) {
      const { value, done } = await this.rows.next();
      if (done === true) return null;
      this.held = value;
    }
    if (!holds(this.held)) return null;
    const row = this.held;
    this.held = null;
    return row;
  }
}
