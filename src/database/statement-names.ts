import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Maximum number of prepared statements per connection: each uses memory of the server. */
const MAX_NAMES = 200;

/** Query object with which `pg` runs a prepared statement. */
interface NamedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Names the repeated statements of one connection. PostgreSQL then parses each once, and reuses its plan once the plan
 * turns out not to depend on the values.
 */
export class StatementNames {
  private readonly names = new Map<string, string>();
  /** Statements executed once. Drops the oldest, so that one-off statements do not accumulate. */
  private readonly seen = new LRUCache<string, true>({ max: MAX_NAMES });

  /** @returns null for a statement without values, for its first execution, and beyond the maximum */
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
