import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import sql, { empty, raw } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { isEmbedded } from '../../database/data-source.js';
import { changeSchema } from '../../database/migrate.js';
import { run, type Queryable } from '../../database/run.js';
import { Embedder } from '../../models/embedding/embedder.js';
import { StartRefused, Unavailable } from '../../errors/index.js';
import { PageEmbedder } from '../../models/multivector/page-embedder.js';
import { Cached } from '../../request/cached.js';
import { PageIndex, VectorIndex } from './vector-column.js';

/** A vector space: a model and the number of dimensions of its vectors. */
export interface Space {
  readonly model: string;
  readonly dimensions: number;
}

/** A table whose vectors all belong to one space. */
export interface VectorTable {
  readonly name: string;
  readonly column: string;
  /** Whether the column may be null, for rows that are not embedded. */
  readonly isNullable: boolean;
  /** Name under which `service_state` stores the space. */
  readonly space: string;
  /** Name of the setting that selects the model. */
  readonly setting: string;
  /** Returns the index over the vectors; null: the table has no index on this database. */
  readonly index: (dataSource: DataSource, dimensions: number) => VectorIndex | PageIndex | null;
}

export const CHUNKS: VectorTable = {
  name: 'chunks',
  column: 'embedding',
  isNullable: false,
  space: 'embedding_space',
  setting: 'EMBEDDING_MODEL',
  index: (dataSource, dimensions) => VectorIndex.of(dataSource, dimensions),
};

export const PAGES: VectorTable = {
  name: 'pages',
  column: 'pooled',
  isNullable: true,
  space: 'page_space',
  setting: 'MULTIVECTOR',
  // On the embedded database, which has few pages, full scans cost less than maintaining an index.
  index: (dataSource, dimensions) => (isEmbedded(dataSource) ? null : new PageIndex(dimensions)),
};

/** Milliseconds for which a search uses the stored space from memory. */
const SPACE_TTL_MS = 1_000;

const REMEDY =
  'run "lectern reindex" to rebuild them (with Compose: docker compose run --rm lectern lectern reindex), or set it back';

/**
 * Ensures that all vectors of a table belong to one space. Refuses a start with another model while the table has rows,
 * and rejects rows with vectors of another space. Also creates the index.
 */
export class VectorSpace implements OnModuleInit {
  private readonly cached = new Cached(SPACE_TTL_MS, () => this.stored(this.dataSource), 0);

  /**
   * @param embedder null: no embedder is configured. `dimensions` is absent if it is unknown before the first vector
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly table: VectorTable,
    private readonly embedder: { readonly model: string; readonly dimensions?: number } | null,
  ) {}

  /**
   * Checks the stored rows at the start. @throws StartRefused if some rows have no vectors, or vectors of another
   * space.
   */
  async onModuleInit(): Promise<void> {
    const { dataSource, embedder, table } = this;
    if (embedder === null) return;
    const { model, dimensions } = embedder;
    const space =
      dimensions === undefined
        ? await this.stored(dataSource)
        : await this.settled(dataSource, { model, dimensions });
    const isOwn = space !== null && isIn(space, embedder);
    if (await this.hasOthers()) {
      const by = space === null || isOwn ? 'no model' : named(space);
      throw new StartRefused(
        `Stored ${table.name} were embedded by ${by} and ${table.setting} is now ${named(embedder)}: ${REMEDY}`,
      );
    }
    if (isOwn) await changeSchema(dataSource, (session) => this.makeIndex(session, space.dimensions));
  }

  /**
   * Checks the space of new rows, in the transaction that writes them. The first rows determine the space of the table.
   * @param dimensions dimensions of the new vectors
   * @throws Unavailable if the stored rows belong to another space.
   */
  async join(manager: Queryable, dimensions: number): Promise<void> {
    const { name } = this.table;
    if (this.embedder === null) throw new Error(`no embedder is configured for ${name}`);
    const own: Space = { model: this.embedder.model, dimensions };
    const before = await this.stored(manager);
    const space = await this.settled(manager, own);
    if (!isIn(space, own)) {
      throw new Unavailable(
        `Stored ${name} were embedded by ${named(space)}, and ${this.table.setting} is now ${named(own)}: ${REMEDY}`,
      );
    }
    if (before !== null && isIn(before, own)) return;
    const index = this.table.index(this.dataSource, dimensions);
    if (index !== null) await run(manager, raw(`drop index if exists ${index.name}`));
    await this.makeIndex(manager, dimensions);
  }

  /**
   * Checks that the stored vectors belong to the model of this process, which `lectern reindex` changes while the
   * service runs. Reads the space at most every {@link SPACE_TTL_MS}.
   * @throws Unavailable if the vectors belong to another space.
   */
  async requireOwn(): Promise<void> {
    if (this.embedder !== null) this.refuseOther(await this.cached.get());
  }

  /**
   * Makes the check of {@link requireOwn} in a transaction that has written rows. The check must follow the write,
   * because the write waits for a `lectern reindex` that is replacing the vectors.
   * @throws Unavailable if the vectors belong to another space.
   */
  async requireOwnIn(manager: Queryable): Promise<void> {
    this.refuseOther(await this.stored(manager));
  }

  private refuseOther(space: Space | null): void {
    const { embedder, table } = this;
    if (space === null || embedder === null || isIn(space, embedder)) return;
    throw new Unavailable(
      `The stored ${table.name} were embedded by ${named(space)}, and this process uses ${named(embedder)}: restart it with ${table.setting} for ${space.model}`,
    );
  }

  /** Whether stored rows have no vectors, or vectors of another space. */
  async hasOthers(): Promise<boolean> {
    const { name, column, isNullable } = this.table;
    const space = await this.stored(this.dataSource);
    const isOwn = space !== null && (this.embedder === null || isIn(space, this.embedder));
    if (isOwn && !isNullable) return false;
    const rows = await run(
      this.dataSource,
      sql`select 1 from ${raw(name)} ${isOwn ? raw(`where ${column} is null`) : empty} limit 1`,
    );
    return rows.length > 0;
  }

  private async stored(database: Queryable): Promise<Space | null> {
    const [row] = await run<{ value: Space }>(
      database,
      sql`select value from service_state where name = ${this.table.space}`,
    );
    return row?.value ?? null;
  }

  /** Returns the space of the stored vectors. If there are no vectors, sets the space to `own`. */
  private async settled(database: Queryable, own: Space): Promise<Space> {
    // The usual case, which needs no lock.
    const stored = await this.stored(database);
    if (stored !== null && isIn(stored, own)) return stored;
    const { name, column, space } = this.table;
    await run(
      database,
      sql`insert into service_state (name, value) values (${space}, ${JSON.stringify(own)}::jsonb)
          on conflict (name) do nothing`,
    );
    // Locks the row, so that concurrent writers of the first rows run one after the other.
    const [row] = await run<{ value: Space }>(
      database,
      sql`select value from service_state where name = ${space} for update`,
    );
    if (row === undefined) throw new Error('the stored vector space is missing');
    if (isIn(row.value, own)) return row.value;
    const known = await run(
      database,
      sql`select 1 from ${raw(name)} where ${raw(column)} is not null limit 1`,
    );
    if (known.length > 0) return row.value;
    await run(
      database,
      sql`update service_state set value = ${JSON.stringify(own)}::jsonb where name = ${space}`,
    );
    return own;
  }

  /** Creates the index if it is missing. */
  private async makeIndex(database: Queryable, dimensions: number): Promise<void> {
    const index = this.table.index(this.dataSource, dimensions);
    if (index !== null) await run(database, index.creation());
  }
}

@Injectable()
export class EmbeddingSpace extends VectorSpace {
  constructor(dataSource: DataSource, embedder: Embedder) {
    super(dataSource, CHUNKS, embedder);
  }
}

/** Space of the page vectors. The first vector determines its number of dimensions. */
@Injectable()
export class PageSpace extends VectorSpace {
  constructor(dataSource: DataSource, @Inject(PageEmbedder) embedder: PageEmbedder | null) {
    super(dataSource, PAGES, embedder);
  }
}

function isIn(space: Space, { model, dimensions = space.dimensions }: Partial<Space>): boolean {
  return space.model === model && space.dimensions === dimensions;
}

function named({ model, dimensions }: { readonly model: string; readonly dimensions?: number }): string {
  return dimensions === undefined ? model : `${model} (${dimensions} dimensions)`;
}
