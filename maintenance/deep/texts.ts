import { createHash } from 'node:crypto';
import sql from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { run, type Queryable } from '../../src/database/run.js';
import { check, idsOf, type Check } from './check.js';
import { Collected, type Found } from './found.js';
import type { Rebuild } from './rebuild.js';
import { chunksOf, FIRST_ID, partsOf, type Part, type StoredChunk } from './text-rows.js';

interface Damaged {
  readonly id: string;
  readonly note: string;
  /** Whether the text is complete and agrees with the chunks, and only its recorded length or offsets are wrong. */
  readonly isMeasuredWrong: boolean;
}

interface CheckedDocument {
  readonly id: string;
  readonly textLength: number;
  readonly chunkCount: number;
}

/** Number of documents per snapshot. */
const DOCUMENTS = 200;

/**
 * Compares the texts of completed documents with their recorded lengths and with their chunks. Reads texts and chunks
 * in streams. Reads each batch of documents in one snapshot, so that concurrent updates are not reported as damage.
 */
export const TEXT_CHECKS: readonly Check[] = [
  check<Damaged>({
    name: 'texts',
    rule: 'A text has all its parts and the recorded length, and each chunk equals the text at its offsets',
    remedy:
      'Write the text that its chunks prove, or ingest the document again from a file with its checksum; what neither proves is left as it is: restore a backup',
    async find({ dataSource, rebuild }, appId, limit) {
      const found = new Collected<Damaged>(limit);
      for (let after = FIRST_ID; ;) {
        const last = await dataSource.transaction('REPEATABLE READ', async (manager) => {
          const documents = await completed(manager, appId, after);
          for await (const damaged of compared(manager, appId, documents)) found.add(damaged);
          return documents.at(-1);
        });
        if (last === undefined) return withLosses(dataSource, rebuild, appId, found);
        after = last.id;
      }
    },
    describe: ({ id, note }) => `${id}: ${note}`,
    async repair({ dataSource, rebuild }, appId, damages) {
      for (const { id } of damages.filter(({ isMeasuredWrong }) => isMeasuredWrong)) {
        await dataSource.transaction((manager) => measure(manager, appId, id));
      }
      await rebuild.restoreTexts(appId, idsOf(damages.filter(({ isMeasuredWrong }) => !isMeasuredWrong)));
    },
  }),
];

/** Adds what is lost for good to the notes. */
async function withLosses(
  dataSource: DataSource,
  rebuild: Rebuild,
  appId: string,
  { count, damages }: Found<Damaged>,
): Promise<Found<Damaged>> {
  const described = damages.map(async (damaged) => {
    if (damaged.isMeasuredWrong) return damaged;
    const loss = await rebuild.lossOf(dataSource.manager, appId, damaged.id);
    return loss === null ? damaged : { ...damaged, note: `${damaged.note}. Not repairable: ${loss}` };
  });
  return { count, damages: await Promise.all(described) };
}

function completed(database: Queryable, appId: string, after: string): Promise<CheckedDocument[]> {
  return run(
    database,
    sql`select external_id::text as id, text_length as "textLength", chunk_count as "chunkCount" from documents
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
  { id, textLength, chunkCount }: CheckedDocument,
  parts: Ahead<Part>,
  chunks: Ahead<StoredChunk>,
): Promise<Damaged | null> {
  let wrongOffset: string | null = null;
  let missing: string | null = null;
  let differing: string | null = null;
  let read = 0;
  let count = 0;
  let held = 0;
  let covered = 0;
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
    held += 1;
    const { number, start, end, content, hash } = chunk;
    covered = Math.max(covered, end);
    while (read < end && (await readPart())) continue;
    window = window.slice(start - windowStart);
    windowStart = start;
    if (read < end) missing ??= `the text ends at ${read}, before chunk ${number}`;
    else if (window.slice(0, end - start) !== content) differing ??= `chunk ${number} differs from the text`;
    else if (createHash('sha256').update(content).digest('hex') !== hash) {
      differing ??= `chunk ${number} has the hash of another text`;
    }
  }
  let isBlank = !/\S/.test(window.slice(covered - windowStart));
  for (window = ''; await readPart(); window = '') isBlank &&= !/\S/.test(window);
  if (held > 0 && !isBlank) differing ??= 'the text goes on after its last chunk';
  if (read !== textLength) wrongOffset ??= `the text has ${read} characters, not ${textLength}`;
  const note = missing ?? differing ?? wrongOffset;
  // With a lost chunk, the end of the text may be lost too.
  return note === null ? null : { id, note, isMeasuredWrong: note === wrongOffset && held === chunkCount };
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
