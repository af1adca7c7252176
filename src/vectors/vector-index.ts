import type { DataSource } from 'typeorm';
import sql, { raw, type Sql } from 'sql-template-tag';
import { isEmbedded } from '../database/data-source.js';

/** Element type of the index: two or four bytes per dimension. */
type IndexedAs = 'halfvec' | 'vector';

/** Maximum number of dimensions that pgvector indexes as `vector`. */
const MAX_VECTOR_DIMENSIONS = 2_000;

/**
 * HNSW index for dense search. Vectors are stored as halfvec without fixed dimensions.
 *
 * A server indexes halfvec, which halves the size. The embedded database indexes vector, because WebAssembly has no
 * half-precision instructions: an insert takes 9 ms instead of 48 ms. Both types yield the same distances.
 */
export class VectorIndex {
  constructor(
    readonly dimensions: number,
    private readonly indexedAs: IndexedAs,
  ) {}

  /** Returns the index of a database for a number of dimensions. */
  static of(dataSource: DataSource, dimensions: number): VectorIndex {
    return new VectorIndex(
      dimensions,
      isEmbedded(dataSource) && dimensions <= MAX_VECTOR_DIMENSIONS ? 'vector' : 'halfvec',
    );
  }

  get name(): string {
    return `chunks_embedding_${this.dimensions}`;
  }

  /**
   * Uses `ef_construction` = 128. With the default of 64, clusters of similar texts become poorly connected and searches
   * miss them (100,000 chunks about 200 topics: recall 0.945 instead of 0.998).
   */
  creation(name = this.name, column = 'embedding'): Sql {
    return sql`${raw(
      `create index if not exists ${name} on chunks using hnsw ((${this.cast(column)}) ${this.indexedAs}_cosine_ops) with (ef_construction = 128)`,
    )}`;
  }

  /** Sort expression for the chunks `c`, nearest to `vector` (a halfvec) first, which the index supports. */
  order(vector: Sql): Sql {
    const asked = this.indexedAs === 'halfvec' ? '' : `::vector(${this.dimensions})`;
    return sql`${raw(this.cast('c.embedding'))} <=> ${vector}${raw(asked)}`;
  }

  private cast(column: string): string {
    return `${column}::${this.indexedAs}(${this.dimensions})`;
  }
}

/** Partial HNSW index over the pooled vectors of pages, which all have the same dimensions. */
export class PageIndex {
  readonly name = 'pages_pooled';

  constructor(private readonly dimensions: number) {}

  creation(name: string = this.name, column = 'pooled'): Sql {
    return sql`${raw(
      `create index if not exists ${name} on pages using hnsw ((${column}::halfvec(${this.dimensions})) halfvec_ip_ops) with (ef_construction = 128)`,
    )} where ${this.predicate(column)}`;
  }

  /** Excludes dead rows with other dimensions, over which PostgreSQL builds the index while older snapshots exist. */
  predicate(column: string): Sql {
    return raw(`vector_dims(${column}) = ${this.dimensions}`);
  }
}
