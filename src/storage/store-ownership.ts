import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { run, type Queryable } from '../database/run.js';
import { Unavailable } from '../errors/index.js';
import { Cached } from '../request/cached.js';
import { ObjectStore, StoreUnavailable, type FoundNote, type OwnerNote } from './object-store.js';

/**
 * How long the result of a check is cached. Each process checks at most once in this time, with one small request to
 * the store.
 */
const TTL_MS = 10_000;

/** Advisory lock ("lecs" as a number). Only its holder may claim a store for a database. */
const OWNER_LOCK = 0x6c656373;

/** Permission of this process to change the store and to run jobs that need it. */
export type StoreAccess =
  | { readonly kind: 'own' | 'read-only' }
  | {
      readonly kind: 'foreign';
      readonly reason: string;
      /** Value of STORAGE_TAKE_OVER that assigns the store to this database. */
      readonly id: string;
    };

/** Ownership as the database records it. */
interface Known {
  /** Identity of this database; a restored dump has a different identity. */
  readonly database: string;
  /** The store that this database claimed, and the identity of the database at that time. */
  readonly owned: OwnerNote | null;
}

/**
 * Ownership of the object store. A note in the store names the database that owns the store, and a row in the database
 * names its store. Note and row are compared before every delete, write or job. Otherwise a copy of a database would
 * run the deletions and jobs of the original, and a process with another storage folder would run jobs whose files it
 * does not have.
 *
 * The `system_identifier` of the database cluster and the oid of the database distinguish a database from its copies.
 * For the embedded database, the inode of its folder does so. The bucket or the inode of the note distinguishes a store
 * from its copies. If database and store are both restored from backups elsewhere, they form an independent
 * installation.
 */
@Injectable()
export class StoreOwnership implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Storage');
  private readonly checks = new Cached(TTL_MS, () => this.look());
  private lastLogged = '';
  /**
   * Whether this process has written the note. It does not rewrite its own note, because inodes change on some file
   * systems.
   */
  private hasWritten = false;
  private isStopping = false;

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

  onModuleDestroy(): void {
    this.isStopping = true;
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

  /** Returns the access that the service would have after a start. Does not claim the store. */
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
        ? 'The file store is read-only: STORAGE_READ_ONLY is set'
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
      if (!this.isStopping) this.logFailure(error); // a shutdown closes the database during a check
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

  /**
   * Claims the store. Processes of the same database claim it one after the other. If several databases claim the
   * store, the first one gets it.
   */
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

  /** @returns undefined if this database may claim the store */
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

  /**
   * Tells whether rows of documents or uploads name files but the store is empty. It is then the wrong store, or a
   * folder that the processes do not share.
   */
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

  /** Logs the access if it differs from the access that was logged last. */
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

/** Returns what the operator can do about a store that does not belong to the database. */
export function remedyOf({ id }: { readonly id: string }): string {
  return `Until STORAGE, S3_BUCKET or DATA_DIR name the store of this database, files are read-only and no jobs run. For a second service that reads the files of another one, set STORAGE_READ_ONLY=true. To assign this store to this database, start once with STORAGE_TAKE_OVER=${id}`;
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
