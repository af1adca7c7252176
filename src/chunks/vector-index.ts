import type { DataSource } from 'typeorm';
import sql, { raw, type Sql } from 'sql-template-tag';
import { isEmbedded } from '../database/data-source.js';

/** What the index keeps of a stored vector: two bytes a dimension, or four. */
type IndexedAs = 'halfvec' | 'vector';

/** The most dimensions that pgvector indexes as `vector`. */
const MAX_VECTOR_DIMENSIONS = 2_000;

/**
 * The HNSW index for dense search in a space of `dimensions`; vectors are stored as halfvec without a fixed length.
 *
 * On a server it holds halfvec, half the size. On the embedded database it holds vector: WebAssembly has no
 * instruction for half precision, and an entry takes 9 ms instead of 48. Both order by the very same distances.
 */
export class VectorIndex {
  constructor(
    readonly dimensions: number,
    private readonly indexedAs: IndexedAs,
  ) {}

  /** The one that a database has for a space. */
  static of(dataSource: DataSource, dimensions: number): VectorIndex {
    return new VectorIndex(
      dimensions,
      isEmbedded(dataSource) && dimensions <= MAX_VECTOR_DIMENSIONS ? 'vector' : 'halfvec',
    );
  }

  get name(): string {
    return this.indexedAs === 'halfvec' ? this.otherName : `${this.otherName}_vector`;
  }

  /** Of the index that an embedded database had in earlier versions. */
  get formerName(): string | undefined {
    return this.indexedAs === 'vector' ? this.otherName : undefined;
  }

  /**
   * Built with 128 neighbours in view: with the 64 of the default, groups of texts about one thing lose their links to
   * the others, and a search that starts elsewhere misses them (100,000 chunks about 200 topics: recall .945 against
   * .998).
   */
  creation(name = this.name, column = 'embedding'): Sql {
    return sql`${raw(
      `create index if not exists ${name} on chunks using hnsw ((${this.cast(column)}) ${this.indexedAs}_cosine_ops) with (ef_construction = 128)`,
    )}`;
  }

  /** What a statement orders the chunks `c` by, nearest to `vector` (a halfvec) first, to walk along the index. */
  order(vector: Sql): Sql {
    const asked = this.indexedAs === 'halfvec' ? '' : `::vector(${this.dimensions})`;
    return sql`${raw(this.cast('c.embedding'))} <=> ${vector}${raw(asked)}`;
  }

  private get otherName(): string {
    return `chunks_embedding_${this.dimensions}`;
  }

  private cast(column: string): string {
    return `${column}::${this.indexedAs}(${this.dimensions})`;
  }
}

/** The HNSW index over the pooled vectors of pages, where they have some: all of one length. */
export class PageIndex {
  readonly name = 'pages_pooled';

  constructor(private readonly dimensions: number) {}

  creation(name: string = this.name, column = 'pooled'): Sql {
    return sql`${raw(
      `create index if not exists ${name} on pages using hnsw ((${column}::halfvec(${this.dimensions})) halfvec_ip_ops) with (ef_construction = 128)`,
    )} where ${this.holds(column)}`;
  }

  /** Which pages it holds: PostgreSQL builds it over deleted rows too while somebody may see them, of any length. */
  holds(column: string): Sql {
    return raw(`vector_dims(${column}) = ${this.dimensions}`);
  }
}
