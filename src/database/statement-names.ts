import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/**
 * Maximum number of prepared statements per connection. The number is limited because each prepared statement uses
 * memory of the server.
 */
const MAX_NAMES = 200;

/** Query object with which `pg` runs a prepared statement. */
interface NamedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Gives names to repeated statements of a connection, so that `pg` prepares them. PostgreSQL then parses each statement
 * only once. It also reuses the plan of the statement if a generic plan, which does not depend on the values, is good
 * enough.
 */
export class StatementNames {
  private readonly names = new Map<string, string>();
  /**
   * Statements that were executed once. The least recently executed statements are dropped, so that statements that
   * never repeat do not accumulate.
   */
  private readonly seen = new LRUCache<string, true>({ max: MAX_NAMES });

  /**
   * Returns the named form of a statement.
   * @returns null for a statement without values, for the first execution of a statement, and beyond the maximum number
   * of names
   */
  of(text: string, values: unknown): NamedStatement | null {
    if (!Array.isArray(values) || values.length === 0) return null;
    const name = this.names.get(text) ?? this.newName(text);
    if (name === null) return null;
    return { name, text, values: values as unknown[] };
  }

  private newName(text: string): string | null {
    if (this.names.size === MAX_NAMES) return null;
    if (!this.seen.delete(text)) {
      this.seen.set(text, true);
      return null;
    }
    const name = createHash('sha256').update(text).digest('base64url');
    this.names.set(text, name);
    return name;
  }
}
