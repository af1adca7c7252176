import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { run, type Queryable } from '../database/run.js';
import { Unavailable } from '../errors/index.js';
import { Cached } from '../request/cached.js';
import { ObjectStore, StoreUnavailable, type FoundNote, type OwnerNote } from './object-store.js';

/** Lifetime of a check. Each process checks once in this time, with one small request to the store. */
const TTL_MS = 10_000;

/** Advisory lock ("lecs" as a number) that lets one process at a time claim a store for its database. */
const OWNER_LOCK = 0x6c656373;

/** Permission of this process to change the store and to run jobs that need it. */
export type StoreAccess =
  | { readonly kind: 'own' | 'read-only' }
  | {
      readonly kind: 'foreign';
      /** Reason as a sentence. */
      readonly reason: string;
      /** Value of STORAGE_TAKE_OVER that assigns the store to this database. */
      readonly id: string;
    };

/** Ownership as the database records it. */
interface Known {
  /** Identity of this database; a restored dump has another one. */
  readonly database: string;
  /** The store of this database, with the database identity at the time of its claim. */
  readonly owned: OwnerNote | null;
}

/**
 * Ownership of the object store. A note in the store names its database, and a row in the database names its store. Both
 * are compared before every delete, write or job: a copy of a database has the tombstones and jobs of the original, and a
 * process with another folder lacks the files of its jobs.
 *
 * The `system_identifier` of the cluster and the oid distinguish a database from its copies; the embedded one has the
 * inode of its folder. The bucket or the inode of the note distinguishes a store from its copies. A backup of both,
 * restored elsewhere, is an independent installation.
 */
@Injectable()
export class StoreOwnership implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('Storage');
  private readonly checks = new Cached(TTL_MS, () => this.look());
  private lastLogged = '';
  /** The note is rewritten at most once, because on some file systems inodes change. */
  private hasWritten = false;

  constructor(
    @Inject(SETTINGS)
    private readonly settings: Pick<
      Settings,
      'DATABASE_URL' | 'DATA_DIR' | 'STORAGE' | 'STORAGE_READ_ONLY' | 'STORAGE_TAKE_OVER'
    >,
    private readonly dataSource: DataSource,
    private readonly store: ObjectStore,
  ) {}

  onModuleInit(): void {
    this.store.changeOnlyWith(() => this.require());
  }

  /** Runs in the background, so that a slow or unreachable store does not delay the start. */
  onApplicationBootstrap(): void {
    this.access().catch(() => undefined); // access() logs the failure
  }

  /** Returns the cached access. @throws the error of the store or the database. */
  async access(): Promise<StoreAccess> {
    try {
      return await this.checks.get();
    } catch (error) {
      this.checks.forget(); // the store may recover
      throw error;
    }
  }

  /** Returns the access that a start would find, without claiming the store. */
  async compare(): Promise<StoreAccess> {
    const known = await this.known(this.dataSource);
    const access = await this.accessOf(this.dataSource, known, await this.store.readNote());
    return access ?? { kind: 'own' };
  }

  private async require(): Promise<void> {
    const { kind } = await this.access();
    if (kind === 'own') return;
    throw new Unavailable(
      kind === 'read-only'
        ? 'Files are read-only here'
        : 'The file store does not belong to this installation; the log of the service names the setting to change',
      60,
    );
  }

  private async look(): Promise<StoreAccess> {
    try {
      const access = await this.lookFor();
      this.logAccess(access);
      return access;
    } catch (error) {
      this.logFailure(error);
      throw error;
    }
  }

  private async lookFor(): Promise<StoreAccess> {
    if (this.settings.STORAGE_READ_ONLY) {
      await this.store.readNote(); // fails when the store does not answer
      return { kind: 'read-only' };
    }
    // The row is read first, because a claim writes the note first.
    const known = await this.known(this.dataSource);
    const note = await this.store.readNote();
    const access = await this.accessOf(this.dataSource, known, note);
    if (access?.kind === 'foreign' && access.id !== this.settings.STORAGE_TAKE_OVER) return access;
    await this.store.requireWritable();
    const isWritten = note?.isInPlace === true && isSame(note, known.owned);
    if (access?.kind === 'own' && (isWritten || this.hasWritten)) return access;
    return this.claim();
  }

  /** Claims the store. Processes of one database claim one after the other; of several databases, the first wins. */
  private async claim(): Promise<StoreAccess> {
    return this.dataSource.transaction(async (manager) => {
      await run(manager, sql`select pg_advisory_xact_lock(${OWNER_LOCK})`);
      const known = await this.known(manager);
      const note = await this.store.readNote();
      const access = await this.accessOf(manager, known, note);
      const isTakenOver = access?.kind === 'foreign' && access.id === this.settings.STORAGE_TAKE_OVER;
      if (access?.kind === 'foreign' && !isTakenOver) return access;
      const id = access?.kind === 'own' && note !== undefined ? note.id : randomUUID();
      const own = { id, database: known.database };
      if (!(await this.store.writeNote(own, note !== undefined))) {
        return belongsToAnother((await this.store.readNote())?.id ?? id);
      }
      await run(
        manager,
        sql`insert into service_state (name, value) values ('object_store', ${JSON.stringify(own)}::jsonb)
            on conflict (name) do update set value = excluded.value`,
      );
      this.hasWritten = true;
      return { kind: 'own' };
    });
  }

  /** @returns undefined for a store that this database may claim */
  private async accessOf(
    queryable: Queryable,
    { database, owned }: Known,
    note: FoundNote | undefined,
  ): Promise<StoreAccess | undefined> {
    const isOriginal = owned?.database === database;
    if (note === undefined) {
      if (isOriginal) return isElsewhere(owned.id);
      if (owned === null && (await this.isWithoutItsFiles(queryable))) return hasNoFiles();
      return undefined;
    }
    if (note.database === database) {
      return isOriginal && owned.id !== note.id ? isElsewhere(owned.id) : { kind: 'own' };
    }
    const isRestored = owned?.id === note.id && !isOriginal && !note.isInPlace;
    return isRestored ? undefined : belongsToAnother(note.id);
  }

  private async known(database: Queryable): Promise<Known> {
    const [control] = await run<{ isOpen: boolean }>(
      database,
      sql`select has_function_privilege('pg_control_system()', 'execute') as "isOpen"`,
    );
    const server =
      control?.isOpen === true
        ? sql`(select system_identifier::text from pg_control_system())`
        : sql`'server'`;
    const [row] = await run<{ server: string; oid: string; owned: OwnerNote | null }>(
      database,
      sql`select d.oid::text as oid, ${server} as server,
            (select value from service_state where name = 'object_store') as owned
          from pg_database d where d.datname = current_database()`,
    );
    if (row === undefined) throw new Error('the database does not list itself');
    const place = this.settings.DATABASE_URL === undefined ? await this.embeddedPlace() : row.oid;
    return { database: `${row.server}/${place}`, owned: row.owned };
  }

  private async embeddedPlace(): Promise<string> {
    const { ino } = await stat(join(resolve(this.settings.DATA_DIR), 'postgres'), { bigint: true });
    return String(ino);
  }

  /** Tells whether documents or uploads have files but the store has none: the wrong store, or one that is not shared. */
  private async isWithoutItsFiles(database: Queryable): Promise<boolean> {
    const [row] = await run<{ any: boolean }>(
      database,
      sql`select exists (select 1 from documents where storage_files <> '[]')
            or exists (select 1 from files) as any`,
    );
    if (row?.any !== true) return false;
    for await (const _ of this.store.list()) return false;
    return true;
  }

  /** Logs the access when it differs from the last one logged. */
  private logAccess(access: StoreAccess): void {
    if (access.kind === 'foreign') {
      if (this.isNew(access.reason)) this.logger.warn(`${access.reason}. ${remedyOf(access)}`);
      return;
    }
    if (!this.isNew(access.kind)) return;
    this.logger.log(
      access.kind === 'own'
        ? `The file store (STORAGE=${this.settings.STORAGE}) belongs to this database`
        : 'Files are read-only and no jobs run (STORAGE_READ_ONLY)',
    );
  }

  private logFailure(error: unknown): void {
    const { message } = error as Error;
    if (!this.isNew(message)) return;
    const remedy = error instanceof StoreUnavailable ? `: ${error.remedy}` : '';
    this.logger.warn({ err: error }, `The file store is not usable. ${message}${remedy}`);
  }

  private isNew(text: string): boolean {
    const isNew = text !== this.lastLogged;
    this.lastLogged = text;
    return isNew;
  }
}

/** Returns the remedy for a store that does not belong to the database. */
export function remedyOf({ id }: { readonly id: string }): string {
  return `Files are read-only here and no jobs run until STORAGE, S3_BUCKET or DATA_DIR name the store of this database. For a second service on the files of another one set STORAGE_READ_ONLY=true. To assign this store to this database, start once with STORAGE_TAKE_OVER=${id}`;
}

const belongsToAnother = (id: string): StoreAccess => ({
  kind: 'foreign',
  reason: 'The file store belongs to another database, of which this one may be a copy',
  id,
});

const isElsewhere = (id: string): StoreAccess => ({
  kind: 'foreign',
  reason: 'The files of this database are in another store than the configured one',
  id,
});

const hasNoFiles = (): StoreAccess => ({
  kind: 'foreign',
  reason: 'The file store is empty, but documents of this database have files',
  id: 'empty',
});

function isSame(note: OwnerNote, owned: OwnerNote | null): boolean {
  return note.id === owned?.id && note.database === owned.database;
}
