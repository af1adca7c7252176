import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql, { raw, type Sql } from 'sql-template-tag';
import { changeSchema } from '../database/migrate.js';
import { run, type Queryable } from '../database/run.js';
import { Embedder } from '../embedding/embedder.js';
import { StartRefused } from '../errors/index.js';
import { VectorIndex } from './vector-index.js';

/** An embedding space by its model and the length of its vectors. */
export interface Space {
  readonly model: string;
  readonly dimensions: number;
}

/**
 * The embedding space that the stored vectors live in. Vectors of two models never meet: a start with another model or
 * other dimensions over existing chunks is refused. Makes the vector index of the space when it is missing.
 */
@Injectable()
export class EmbeddingSpace implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly embedder: Embedder,
  ) {}

  /** @throws StartRefused when the stored vectors belong to another space. */
  async onModuleInit(): Promise<void> {
    const wanted: Space = { model: this.embedder.model, dimensions: this.embedder.dimensions };
    const stored = await this.stored();
    if (stored === null || (!isSame(stored, wanted) && !(await this.hasChunks()))) {
      await this.store(wanted);
    } else if (!isSame(stored, wanted)) {
      throw new StartRefused(
        `The stored vectors were made by ${stored.model} (${stored.dimensions} dimensions) and EMBEDDING_MODEL is now ` +
          `${wanted.model} (${wanted.dimensions}): run "lectern reindex" to rebuild them (with Compose: docker compose run --rm lectern lectern reindex), or set it back`,
      );
    }
    await changeSchema(this.dataSource, (session) => this.makeIndex(session));
  }

  /** Whether the vector index is there and valid; an interrupted build leaves an invalid one. */
  async indexIsValid(): Promise<boolean> {
    const [row] = await run<{ valid: boolean }>(
      this.dataSource,
      sql`select i.indisvalid as valid from pg_index i
          where i.indexrelid = to_regclass(${this.index.name})`,
    );
    return row?.valid ?? false;
  }

  private async makeIndex(database: Queryable): Promise<void> {
    const { formerName } = this.index;
    await run(database, this.index.creation());
    if (formerName !== undefined) await run(database, sql`${raw(`drop index if exists ${formerName}`)}`);
  }

  private get index(): VectorIndex {
    return VectorIndex.of(this.dataSource, this.embedder.dimensions);
  }

  private async stored(): Promise<Space | null> {
    const [row] = await run<{ value: Space }>(
      this.dataSource,
      sql`select value from service_state where name = 'embedding_space'`,
    );
    return row?.value ?? null;
  }

  private async hasChunks(): Promise<boolean> {
    const [row] = await run<{ found: boolean }>(
      this.dataSource,
      sql`select exists (select from corpus_stats where chunk_count > 0) as found`,
    );
    return row?.found ?? false;
  }

  private async store(space: Space): Promise<void> {
    await run(this.dataSource, storeSpaceStatement(space));
  }
}

/** Remembers the space that the stored vectors belong to. */
export function storeSpaceStatement(space: Space): Sql {
  return sql`insert into service_state (name, value) values ('embedding_space', ${JSON.stringify(space)}::jsonb)
             on conflict (name) do update set value = excluded.value`;
}

function isSame(one: Space, other: Space): boolean {
  return one.model === other.model && one.dimensions === other.dimensions;
}
