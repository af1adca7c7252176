import { LRUCache } from 'lru-cache';
import type { Scope } from '../auth/scope.js';
import type { DocumentSelection } from '../filters/document-predicate.js';

/** What is known of the part of a corpus that a selection takes. */
export interface SelectionShare {
  /** Of the tenant's chunks, 0 to 1, from a sample of the documents. */
  readonly share: number;
  /** Position among the ranges of the filter of the one that documents are looked up in; null: none. */
  readonly foundBy: number | null;
}

/** Milliseconds that a share is remembered for. */
const REMEMBERED = 10_000;

/** Selections that are remembered at once. */
const SELECTIONS = 1_000;

/**
 * Remembers for a while what share of a corpus a selection takes. It says how a search goes, never what it finds: one
 * that has gone out of date costs time.
 */
export class SelectionShares {
  private readonly shares = new LRUCache<string, SelectionShare>({ max: SELECTIONS, ttl: REMEMBERED });

  of(scope: Scope, selection: DocumentSelection): SelectionShare | undefined {
    return this.shares.get(keyOf(scope, selection));
  }

  remember(scope: Scope, selection: DocumentSelection, share: SelectionShare): void {
    this.shares.set(keyOf(scope, selection), share);
  }
}

function keyOf({ appId }: Scope, selection: DocumentSelection): string {
  return JSON.stringify([appId, selection]);
}
