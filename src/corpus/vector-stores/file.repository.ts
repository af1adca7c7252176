import { Injectable } from '@nestjs/common';
import sql, { empty, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { Owner } from '../../access/principal.js';
import { andVisibleTo } from '../../access/visible-to.js';
import type { Scope } from '../../auth/scope.js';
import { run, type Queryable } from '../../database/run.js';
import {
  createdAtOfId,
  microseconds,
  rowsOf,
  windowOf,
  type CreationWindow,
  type Position,
  type WindowRows,
} from './creation-window.js';

export interface FileRow extends Position {
  readonly purpose: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bucket: string;
  readonly key: string;
  /** Size in bytes; a bigint. */
  readonly bytes: string;
  readonly sha256: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

interface OwnedFile {
  readonly owner: Owner;
}

export interface NewFile extends Pick<
  FileRow,
  'id' | 'purpose' | 'filename' | 'contentType' | 'bucket' | 'key' | 'sha256'
> {
  readonly bytes: number;
  /** null: never. */
  readonly expiresAfterSeconds: number | null;
}

interface ExpiredFile {
  readonly appId: string;
  readonly id: string;
}

const COLUMNS = sql`f.file_id as id, ${microseconds(sql`f.created_at`)} as at, f.purpose, f.filename,
  f.content_type as "contentType", f.bucket, f.object_key as key, f.bytes, f.sha256, f.created_at as "createdAt",
  f.expires_at as "expiresAt"`;

const READERS = sql`f.readers`;

const IS_LIVE = sql`(f.expires_at is null or f.expires_at > statement_timestamp())`;

/** Statements over uploaded files. Expired files and files of other end users are treated as missing. */
@Injectable()
export class FileRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert(manager: Queryable, scope: Scope, file: NewFile): Promise<FileRow> {
    const createdAt = createdAtOfId(file.id);
    const lifetime = sql`make_interval(secs => ${file.expiresAfterSeconds}::float8)`;
    await run(
      manager,
      sql`insert into files (app_id, file_id, purpose, filename, content_type, bucket, object_key, bytes, sha256,
            created_at, expires_at, end_user_id)
          values (${scope.appId}, ${file.id}::uuid, ${file.purpose}, ${file.filename}, ${file.contentType}, ${file.bucket},
            ${file.key}, ${file.bytes}, ${file.sha256}, ${createdAt}, ${createdAt}::timestamptz + ${lifetime}, ${scope.endUserId})`,
    );
    // Reads the row again, because the position needs a function that is not immutable, and Citus does not allow such
    // functions in RETURNING.
    const row = await this.one(manager, scope, file.id, empty);
    if (row === null) throw new Error('the inserted file is missing');
    return row;
  }

  async find(scope: Scope, id: string): Promise<FileRow | null> {
    return this.one(this.dataSource, scope, id, empty);
  }

  /**
   * Returns the row, and locks it until the transaction ends, so that attachments and deletions of the file wait for
   * each other.
   */
  async lock(manager: Queryable, scope: Scope, id: string): Promise<FileRow | null> {
    return this.one(manager, scope, id, sql`for no key update`);
  }

  private async one(database: Queryable, scope: Scope, id: string, lock: Sql): Promise<FileRow | null> {
    const [row = null] = await run<FileRow>(
      database,
      sql`select ${COLUMNS} from files f
          where f.app_id = ${scope.appId} and f.file_id = ${id}::uuid and ${IS_LIVE}${andVisibleTo(scope, READERS)} ${lock}`,
    );
    return row;
  }

  /** Returns the ids that are files of the tenant. */
  async known(scope: Scope, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await run<{ id: string }>(
      this.dataSource,
      sql`select f.file_id as id from files f
          where f.app_id = ${scope.appId} and f.file_id = any(${ids}::uuid[]) and ${IS_LIVE}${andVisibleTo(scope, READERS)}`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns a page of files. @param purpose null: any purpose */
  async list(scope: Scope, purpose: string | null, window: CreationWindow): Promise<WindowRows<FileRow>> {
    const source = sql`select ${COLUMNS} from files f
      where f.app_id = ${scope.appId} and ${IS_LIVE}${andVisibleTo(scope, READERS)}${purpose === null ? empty : sql` and f.purpose = ${purpose}`}`;
    return rowsOf(await run<FileRow>(this.dataSource, windowOf(source, window)), window);
  }

  async delete(manager: Queryable, { appId }: Scope, id: string): Promise<void> {
    await run(manager, sql`delete from files where app_id = ${appId} and file_id = ${id}::uuid`);
  }

  /** Locks a file, expired or not. @returns null if the file does not exist */
  async lockToDelete(manager: Queryable, scope: Scope, id: string): Promise<OwnedFile | null> {
    const [row = null] = await run<OwnedFile>(
      manager,
      sql`select f.owner from files f
          where f.app_id = ${scope.appId} and f.file_id = ${id}::uuid${andVisibleTo(scope, READERS)} for update`,
    );
    return row;
  }

  /** Returns expired files of all tenants that are not deleted yet. */
  async expired(limit: number): Promise<ExpiredFile[]> {
    return run(
      this.dataSource,
      sql`select f.app_id as "appId", f.file_id as id from files f
          where f.expires_at <= statement_timestamp() order by f.expires_at limit ${limit}`,
    );
  }
}
