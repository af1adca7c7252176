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

/** A space of vectors by its model and their length. */
export interface Space {
  readonly model: string;
  readonly dimensions: number;
}

/** A table whose rows have vectors of one space. */
export interface VectorTable {
  readonly name: string;
  /** Of the vectors. */
  readonly column: string;
  /** Whether it is null in rows that no model has seen. */
  readonly isNullable: boolean;
  /** Name of the space in `service_state`. */
  readonly space: string;
  /** That names the model. */
  readonly setting: string;
  /** null: the database goes without. */
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
  // Measuring the pages of a laptop takes WebAssembly less time than it would take to look after an index.
  index: (dataSource, dimensions) => (isEmbedded(dataSource) ? null : new PageIndex(dimensions)),
};

const WAY_OUT =
  'run "lectern reindex" to rebuild them (with Compose: docker compose run --rm lectern lectern reindex), or set it back';

/**
 * The space that the vectors of a table live in. Vectors of two models, or of two lengths, never meet: a start with another
 * model over existing rows is refused, and so is a row whose vector has another length. Makes the index of the space.
 */
export class VectorSpace implements OnModuleInit {
  /** @param embedder null: nobody makes vectors; its `dimensions` where they are known before the first */
  constructor(
    private readonly dataSource: DataSource,
    private readonly table: VectorTable,
    private readonly embedder: { readonly model: string; readonly dimensions?: number } | null,
  ) {}

  /** @throws StartRefused when stored rows have vectors of another space, or none. */
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
        `Stored ${table.name} were embedded by ${by} and ${table.setting} is now ${named(embedder)}: ${WAY_OUT}`,
      );
    }
    if (isOwn) await changeSchema(dataSource, (session) => this.makeIndex(session, space.dimensions));
  }

  /**
   * In the transaction that writes rows; the first of them decide.
   * @param dimensions of their vectors
   * @throws Unavailable when the stored rows belong to another space.
   */
  async join(manager: Queryable, dimensions: number): Promise<void> {
    const { name } = this.table;
    if (this.embedder === null) throw new Error(`${name} are written, and nobody embeds them`);
    const own: Space = { model: this.embedder.model, dimensions };
    const before = await this.stored(manager);
    const space = await this.settled(manager, own);
    if (!isIn(space, own)) {
      throw new Unavailable(
        `Stored ${name} were embedded by ${named(space)}, and ${this.table.setting} is now ${named(own)}: ${WAY_OUT}`,
      );
    }
    if (before !== null && isIn(before, own)) return;
    const index = this.table.index(this.dataSource, dimensions);
    if (index !== null) await run(manager, raw(`drop index if exists ${index.name}`));
    await this.makeIndex(manager, dimensions);
  }

  /** Whether there are stored rows that the embedder has not seen. */
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

  /** The space of the vectors that are there; `own` from now on where there are none. */
  private async settled(database: Queryable, own: Space): Promise<Space> {
    // Most often they are of the same, and nobody need wait for a lock.
    const stored = await this.stored(database);
    if (stored !== null && isIn(stored, own)) return stored;
    const { name, column, space } = this.table;
    await run(
      database,
      sql`insert into service_state (name, value) values (${space}, ${JSON.stringify(own)}::jsonb)
          on conflict (name) do nothing`,
    );
    // Those who write the first rows at once wait for each other here.
    const [row] = await run<{ value: Space }>(
      database,
      sql`select value from service_state where name = ${space} for update`,
    );
    if (row === undefined) throw new Error('a space that was stored is missing');
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

  /** Where it is missing, in place of the one that an earlier version made. */
  private async makeIndex(database: Queryable, dimensions: number): Promise<void> {
    const index = this.table.index(this.dataSource, dimensions);
    if (index === null) return;
    await run(database, index.creation());
    const former = 'formerName' in index ? index.formerName : undefined;
    if (former !== undefined) await run(database, raw(`drop index if exists ${former}`));
  }
}

@Injectable()
export class EmbeddingSpace extends VectorSpace {
  constructor(dataSource: DataSource, embedder: Embedder) {
    super(dataSource, CHUNKS, embedder);
  }
}

/** Pages have vectors where a model sees them; how long they are, the first says. */
@Injectable()
export class PageSpace extends VectorSpace {
  constructor(dataSource: DataSource, @Inject(PageEmbedder) embedder: PageEmbedder | null) {
    super(dataSource, PAGES, embedder);
  }
}

/** Whether a space is that of a model, and of vectors as long as its own where that is known. */
function isIn(space: Space, { model, dimensions = space.dimensions }: Partial<Space>): boolean {
  return space.model === model && space.dimensions === dimensions;
}

function named({ model, dimensions }: { readonly model: string; readonly dimensions?: number }): string {
  return dimensions === undefined ? model : `${model} (${dimensions} dimensions)`;
}
