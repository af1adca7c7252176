import { createHash } from 'node:crypto';

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
  /** Name by text; null: seen once. */
  private readonly names = new Map<string, string | null>();

  /** @returns null where a statement has no values, comes for the first time, or there are too many others */
  of(text: string, values: unknown): NamedStatement | null {
    if (!Array.isArray(values) || values.length === 0) return null;
    const known = this.names.get(text);
    if (known === undefined) {
      if (this.names.size < MAX_NAMES) this.names.set(text, null);
      return null;
    }
    const name = known ?? createHash('sha256').update(text).digest('base64url');
    this.names.set(text, name);
    return { name, text, values: values as unknown[] };
  }
}
