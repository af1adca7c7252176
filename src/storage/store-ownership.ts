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

/** How long a look counts. Every process takes one in this time, so it is one small request to the store. */
const TTL_MS = 10_000;

/** Key of the advisory lock under which one process at a time makes a store its database's: "lecs" as a number. */
const OWNER_LOCK = 0x6c656373;

/** Whether this process may change what is stored, and take the jobs that need it. */
export type StoreAccess =
  | { readonly kind: 'own' | 'read-only' }
  | {
      readonly kind: 'foreign';
      /** What is so about the store, as a sentence. */
      readonly reason: string;
      /** With which STORAGE_TAKE_OVER makes it the store of this database. */
      readonly id: string;
    };

/** What the database knows. */
interface Known {
  /** Which database this is: another one for a dump that was restored. */
  readonly database: string;
  /** The store that belongs to it, and which database it was when that was written. */
  readonly owned: OwnerNote | null;
}

/**
 * Whose the object store is. A note in the store names the database that it belongs to, a row in the database names the
 * store, and both are compared before anything is deleted, written or taken from the queue: a copy of a database has the
 * tombstones and jobs of the original, and a process with a folder of its own has not the files that its jobs name.
 *
 * A database is told from its copies by the `system_identifier` of its cluster and its own oid, the embedded one by the
 * inode of its folder; a store by its bucket or the inode of the note. A backup of both that was restored, each elsewhere,
 * is an installation of its own again.
 */
@Injectable()
export class StoreOwnership implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('Storage');
  private readonly looks = new Cached(TTL_MS, () => this.look());
  private lastSaid = '';
  /** Once is enough: there are file systems on which inodes change by themselves. */
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

  /** A store that is slow or down does not hold up the start. */
  onApplicationBootstrap(): void {
    this.access().catch(() => undefined); // said in the log
  }

  /** As it was found a moment ago. @throws what keeps the store, or the database, from answering. */
  async access(): Promise<StoreAccess> {
    try {
      return await this.looks.get();
    } catch (error) {
      this.looks.forget(); // it may be back
      throw error;
    }
  }

  /** What a start would find, without making the store this database's. */
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
        ? 'Files are read only here'
        : 'The store of files does not belong to this installation; the log of the service says what to set',
      60,
    );
  }

  private async look(): Promise<StoreAccess> {
    try {
      const access = await this.lookFor();
      this.say(access);
      return access;
    } catch (error) {
      this.sayFailure(error);
      throw error;
    }
  }

  private async lookFor(): Promise<StoreAccess> {
    if (this.settings.STORAGE_READ_ONLY) {
      await this.store.readNote(); // whether it answers
      return { kind: 'read-only' };
    }
    // The row before the note: whoever makes a store its own writes the note first.
    const known = await this.known(this.dataSource);
    const note = await this.store.readNote();
    const access = await this.accessOf(this.dataSource, known, note);
    if (access?.kind === 'foreign' && access.id !== this.settings.STORAGE_TAKE_OVER) return access;
    await this.store.requireWritable();
    const isWritten = note?.isInPlace === true && isSame(note, known.owned);
    if (access?.kind === 'own' && (isWritten || this.hasWritten)) return access;
    return this.makeOwn();
  }

  /** Of processes that start at once on one database, one after another; of several databases, the first. */
  private async makeOwn(): Promise<StoreAccess> {
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

  /** @returns undefined for a store that is to become this database's. */
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

  /** Whether documents have files, or there are uploaded ones, and the store has none: it was named by mistake, or is not shared. */
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

  /** Says what was found when it is another thing than the last time. */
  private say(access: StoreAccess): void {
    if (access.kind === 'foreign') {
      if (this.isNew(access.reason)) this.logger.warn(`${access.reason}. ${mendOf(access)}`);
      return;
    }
    if (!this.isNew(access.kind)) return;
    this.logger.log(
      access.kind === 'own'
        ? `The store of files (STORAGE=${this.settings.STORAGE}) is that of this database`
        : 'Files are read only, and no jobs are taken (STORAGE_READ_ONLY)',
    );
  }

  private sayFailure(error: unknown): void {
    const { message } = error as Error;
    if (!this.isNew(message)) return;
    const mend = error instanceof StoreUnavailable ? `: ${error.mend}` : '';
    this.logger.warn({ err: error }, `The store of files cannot be used. ${message}${mend}`);
  }

  private isNew(said: string): boolean {
    const isNew = said !== this.lastSaid;
    this.lastSaid = said;
    return isNew;
  }
}

/** What an operator can do about a store that is not that of the database. */
export function mendOf({ id }: { readonly id: string }): string {
  return `Files are read only here, and no jobs are taken, until STORAGE, S3_BUCKET or DATA_DIR name its own store. For a second service beside another one set STORAGE_READ_ONLY=true; to make this the store of this database, start once with STORAGE_TAKE_OVER=${id}`;
}

const belongsToAnother = (id: string): StoreAccess => ({
  kind: 'foreign',
  reason: 'The store of files belongs to another database, of which this one may be a copy',
  id,
});

const isElsewhere = (id: string): StoreAccess => ({
  kind: 'foreign',
  reason: 'The files of this database are in another store than this process was given',
  id,
});

const hasNoFiles = (): StoreAccess => ({
  kind: 'foreign',
  reason: 'The store of files is empty, and documents of this database have files',
  id: 'empty',
});

function isSame(note: OwnerNote, owned: OwnerNote | null): boolean {
  return note.id === owned?.id && note.database === owned.database;
}
