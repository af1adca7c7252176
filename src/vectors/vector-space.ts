import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import sql, { empty, raw } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { isEmbedded } from '../database/data-source.js';
import { changeSchema } from '../database/migrate.js';
import { run, type Queryable } from '../database/run.js';
import { Embedder } from '../embedding/embedder.js';
import { StartRefused, Unavailable } from '../errors/index.js';
import { PageEmbedder } from '../multivector/page-embedder.js';
import { PageIndex, VectorIndex } from './vector-index.js';

/** Vector space: a model and its number of dimensions. */
export interface Space {
  readonly model: string;
  readonly dimensions: number;
}

/** A table whose vectors belong to one space. */
export interface VectorTable {
  readonly name: string;
  /** Column of the vectors. */
  readonly column: string;
  /** Whether the column may be null, in rows that are not embedded. */
  readonly isNullable: boolean;
  /** Name of the space in `service_state`. */
  readonly space: string;
  /** Setting with the name of the model. */
  readonly setting: string;
  /** null: the database has no index. */
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
  // On the embedded database, a full scan over its few pages costs less than maintaining an index.
  index: (dataSource, dimensions) => (isEmbedded(dataSource) ? null : new PageIndex(dimensions)),
};

const REMEDY =
  'run "lectern reindex" to rebuild them (with Compose: docker compose run --rm lectern lectern reindex), or set it back';

/**
 * Ensures that all vectors of a table belong to one space. Refuses a start with another model while rows exist, and
 * refuses rows with vectors of other dimensions. Creates the index of the space.
 */
export class VectorSpace implements OnModuleInit {
  /** @param embedder null: none is configured. Its `dimensions` are absent if only the first vector determines them. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly table: VectorTable,
    private readonly embedder: { readonly model: string; readonly dimensions?: number } | null,
  ) {}

  /** @throws StartRefused if stored rows have no vectors, or vectors of another space. */
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
   * Checks the space of rows in the transaction that writes them. The first rows determine the space.
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

  /** Returns the space of the stored vectors. Without vectors, sets it to `own`. */
  private async settled(database: Queryable, own: Space): Promise<Space> {
    // Fast path without a lock.
    const stored = await this.stored(database);
    if (stored !== null && isIn(stored, own)) return stored;
    const { name, column, space } = this.table;
    await run(
      database,
      sql`insert into service_state (name, value) values (${space}, ${JSON.stringify(own)}::jsonb)
          on conflict (name) do nothing`,
    );
    // Serialises concurrent writers of the first rows.
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

/** Space of the page vectors. The first vector determines its dimensions. */
@Injectable()
export class PageSpace extends VectorSpace {
  constructor(dataSource: DataSource, @Inject(PageEmbedder) embedder: PageEmbedder | null) {
    super(dataSource, PAGES, embedder);
  }
}

/** Whether a space has the given model, and its dimensions if they are known. */
function isIn(space: Space, { model, dimensions = space.dimensions }: Partial<Space>): boolean {
  return space.model === model && space.dimensions === dimensions;
}

function named({ model, dimensions }: { readonly model: string; readonly dimensions?: number }): string {
  return dimensions === undefined ? model : `${model} (${dimensions} dimensions)`;
}
