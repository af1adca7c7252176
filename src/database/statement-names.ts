import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Statements that a connection keeps planned at most: each takes some memory of the server. */
const MAX_NAMES = 200;

/** What pg takes to run a statement under a name, by which the server knows its plan. */
interface NamedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Gives names to the statements of one connection that come more than once: PostgreSQL then parses them once, and plans
 * them no more once it sees that the plan does not depend on the values.
 */
export class StatementNames {
  private readonly names = new Map<string, string>();
  /** Texts that came once; the latest, so that many others do not keep one from its name. */
  private readonly seen = new LRUCache<string, true>({ max: MAX_NAMES });

  /** @returns null where a statement has no values, comes for the first time, or there are too many others */
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
