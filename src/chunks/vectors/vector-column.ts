import { fromSql } from 'pgvector';
import { type ChunkContext, NO_CONTEXT } from '#reader';
import { TERM_NUMBERS } from '../../lexical/inverted-index.js';
import type { DataSource } from 'typeorm';
import sql, { raw, type Sql } from 'sql-template-tag';
import { isEmbedded } from '../../database/data-source.js';

const PLACES = 1e7;

/**
 * Formats a unit vector as pgvector text, for a column or a query. Prints the numbers as integers with an exponent,
 * which is four times as fast as fractions. Seven decimal places are enough: they are more precise than the 11
 * significant bits of a halfvec.
 */
export function vectorText(vector: Float32Array): string {
  return `[${Array.from(vector, (x) => Math.round(x * PLACES)).join('e-7,')}e-7]`;
}

/**
 * Encodes a vector as the parameter of a statement, in the binary format of the type `vector` (`vector_recv` of pgvector):
 * the number of dimensions and a zero as int16, and then float4 numbers, all big-endian. The server reads it .1 ms faster
 * than text of 384 dimensions.
 */
export function vectorBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(4 + 4 * vector.length);
  bytes.writeUInt16BE(vector.length, 0);
  for (const [index, number] of vector.entries()) bytes.writeFloatBE(number, 4 + 4 * index);
  return bytes;
}

/** Parses a vector from pgvector text. */
export function vectorOf(text: string): Float32Array {
  return Float32Array.from(fromSql(text) as number[]);
}

/** Formats a sparse vector as pgvector text. The keys are 1-based indexes. */
export function sparseText(numbers: ReadonlyMap<number, number>): string {
  const elements = Array.from(numbers, ([index, value]) => `${index}:${value}`);
  return `{${elements.join(',')}}/${TERM_NUMBERS}`;
}

/** Encodes a context as JSON for the column `chunks.context`. An empty context becomes an empty text. */
export function storedContext(context: ChunkContext): string {
  const { title, headings, table } = context;
  const isEmpty = title === null && headings.length === 0 && table === null;
  return isEmpty ? '' : JSON.stringify({ title, headings, table });
}

/** Decodes the column `chunks.context`. */
export function readContext(stored: string): ChunkContext {
  return stored === '' ? NO_CONTEXT : (JSON.parse(stored) as ChunkContext);
}

/** Type of the indexed vectors: `halfvec` has two bytes per dimension, and `vector` has four. */
type IndexedAs = 'halfvec' | 'vector';

/** Maximum number of dimensions that pgvector indexes as `vector`. */
const MAX_VECTOR_DIMENSIONS = 2_000;

/**
 * HNSW index for the dense search. The column itself is a halfvec without a fixed number of dimensions.
 *
 * On a server the index has the type halfvec, which halves its size. On the embedded database it has the type vector:
 * WebAssembly has no half-precision instructions, and an insert takes 9 ms instead of 48 ms. The distances are the same
 * with both types.
 */
export class VectorIndex {
  constructor(
    readonly dimensions: number,
    private readonly indexedAs: IndexedAs,
  ) {}

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
   * Uses `ef_construction` = 128. With the default of 64, clusters of similar texts are poorly connected, and searches
   * miss them (recall 0.945 instead of 0.998 for 100,000 chunks about 200 topics).
   */
  creation(name = this.name, column = 'embedding'): Sql {
    return sql`${raw(
      `create index if not exists ${name} on chunks using hnsw ((${this.cast(column)}) ${this.indexedAs}_cosine_ops) with (ef_construction = 128)`,
    )}`;
  }

  /**
   * Sort expression for the distance of the chunks `c` from `vector` (a halfvec), in a form for which PostgreSQL can
   * use the index.
   */
  order(vector: Sql): Sql {
    const asked = this.indexedAs === 'halfvec' ? '' : `::vector(${this.dimensions})`;
    return sql`${raw(this.cast('c.embedding'))} <=> ${vector}${raw(asked)}`;
  }

  private cast(column: string): string {
    return `${column}::${this.indexedAs}(${this.dimensions})`;
  }
}

/** Partial HNSW index over the pooled vectors of pages. All these vectors have the same number of dimensions. */
export class PageIndex {
  readonly name = 'pages_pooled';

  constructor(private readonly dimensions: number) {}

  creation(name: string = this.name, column = 'pooled'): Sql {
    return sql`${raw(
      `create index if not exists ${name} on pages using hnsw ((${column}::halfvec(${this.dimensions})) halfvec_ip_ops) with (ef_construction = 128)`,
    )} where ${this.predicate(column)}`;
  }

  /**
   * Condition of the partial index. Excludes dead rows with other dimensions, which PostgreSQL indexes too while older
   * snapshots exist. Live rows never have other dimensions.
   */
  predicate(column: string): Sql {
    return raw(`vector_dims(${column}) = ${this.dimensions}`);
  }
}
