import { Injectable } from '@nestjs/common';
import sql, { type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { type Scope, shardOf } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';

/** A text to write: a string, or a text outside the JavaScript heap. */
export interface DocumentText {
  /** In UTF-16 code units. The offsets of `slice` have the same unit and must not be negative. */
  readonly length: number;
  slice(start?: number, end?: number): string;
}

export interface TextVersion {
  readonly documentId: string;
  readonly textVersion: number;
}

/** Reads and writes document texts. A text is stored in parts; offsets are UTF-16 code units. */
@Injectable()
export class DocumentTextRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Writes the first text of a document. */
  async put(manager: Queryable, scope: Scope, documentId: string, text: DocumentText): Promise<void> {
    await this.insert(manager, shardOf(scope, documentId), [
      { documentId, text, firstPart: 0, startOffset: 0 },
    ]);
  }

  /** Returns the texts of documents by document id. A document without a text has no entry. */
  async whole(scope: Scope, documentIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (documentIds.length === 0) return new Map();
    const rows = await run<{ document_id: string; text: string }>(
      this.dataSource,
      sql`select document_id, string_agg(content, '' order by part) as text from document_texts
          where app_id = ${scope.appId} and document_id = any(${documentIds}::uuid[]) group by document_id`,
    );
    return new Map(rows.map(({ document_id: id, text }) => [id, text]));
  }

  async replace(
    manager: Queryable,
    scope: Scope,
    texts: readonly { readonly documentId: string; readonly text: DocumentText }[],
  ): Promise<void> {
    const ids = texts.map(({ documentId }) => documentId);
    await run(
      manager,
      sql`delete from document_texts where app_id = ${scope.appId} and document_id = any(${ids}::uuid[])`,
    );
    await this.insert(
      manager,
      scope,
      texts.map((one) => ({ ...one, firstPart: 0, startOffset: 0 })),
    );
  }

  /** Appends to a text. Writes new rows only. */
  async append(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    text: DocumentText,
    startOffset: number,
  ): Promise<void> {
    const [row] = await run<{ part: number }>(
      manager,
      sql`select coalesce(max(part) + 1, 0)::integer as part from document_texts
          where app_id = ${scope.appId} and document_id = ${documentId}::uuid`,
    );
    await this.insert(manager, scope, [{ documentId, text, firstPart: row?.part ?? 0, startOffset }]);
  }

  /**
   * Returns the parts of a text in order, each with its size in UTF-8. Returns an empty list if the text is no longer
   * at this version.
   */
  async partSizes(
    scope: Scope,
    version: TextVersion,
  ): Promise<{ readonly part: number; readonly bytes: number }[]> {
    return run(
      this.dataSource,
      sql`select t.part, octet_length(t.content) as bytes ${ofVersion(scope, version)} order by t.part`,
    );
  }

  /** Returns the concatenation of consecutive parts, or undefined if the text is no longer at this version. */
  async parts(
    scope: Scope,
    version: TextVersion,
    [first, last]: readonly [number, number],
  ): Promise<string | undefined> {
    const [row] = await run<{ content: string | null }>(
      this.dataSource,
      sql`select string_agg(t.content, '' order by t.part) as content ${ofVersion(scope, version)}
          and t.part between ${first} and ${last}`,
    );
    return row?.content ?? undefined;
  }

  /** Writes parts in statements of about {@link PART_LENGTH} units. */
  private async insert(manager: Queryable, { appId }: Scope, texts: readonly NewParts[]): Promise<void> {
    let rows: PartRow[] = [];
    let length = 0;
    const flush = async (): Promise<void> => {
      if (rows.length > 0) await run(manager, insertPartsStatement(appId, rows));
      rows = [];
      length = 0;
    };
    for (const { documentId, text, firstPart, startOffset } of texts) {
      let part = firstPart;
      for (const { start, content } of partsOf(text, PART_LENGTH)) {
        if (length + content.length > PART_LENGTH) await flush();
        rows.push({ documentId, part, content, startOffset: startOffset + start });
        length += content.length;
        part += 1;
      }
    }
    await flush();
  }
}

interface NewParts {
  readonly documentId: string;
  readonly text: DocumentText;
  readonly firstPart: number;
  /** Offset of `text` in the document's text. */
  readonly startOffset: number;
}

interface PartRow {
  readonly documentId: string;
  readonly part: number;
  readonly content: string;
  readonly startOffset: number;
}

function insertPartsStatement(appId: string, rows: readonly PartRow[]): Sql {
  return sql`insert into document_texts (app_id, document_id, part, content, start_offset)
    select ${appId}, r.document_id, r.part, r.content, r.start_offset
    from unnest(
      ${rows.map((row) => row.documentId)}::uuid[],
      ${rows.map((row) => row.part)}::integer[],
      ${rows.map((row) => row.content)}::text[],
      ${rows.map((row) => row.startOffset)}::integer[]) as r(document_id, part, content, start_offset)`;
}

function ofVersion(scope: Scope, { documentId, textVersion }: TextVersion): Sql {
  const { appId } = shardOf(scope, documentId);
  return sql`from document_texts t join documents d on d.app_id = t.app_id and d.external_id = t.document_id
    where t.app_id = ${appId} and t.document_id = ${documentId}::uuid and d.text_version = ${textVersion}`;
}

/** Maximum length of one row, in UTF-16 units. */
const PART_LENGTH = 1024 * 1024;

const HIGH_SURROGATE = /[\uD800-\uDBFF]/;

/**
 * Splits a text into parts of at most `length` units. Never splits a surrogate pair, because PostgreSQL cannot store
 * half of one.
 */
function* partsOf(text: DocumentText, length: number): Generator<{ start: number; content: string }> {
  for (let start = 0; start < text.length;) {
    const end = start + length;
    const cutsPair = end < text.length && HIGH_SURROGATE.test(text.slice(end - 1, end));
    const content = text.slice(start, cutsPair ? end - 1 : end);
    yield { start, content };
    start += content.length;
  }
}
