import { createHash } from 'node:crypto';
import { raw } from 'sql-template-tag';
import type { AuditOutcome } from './audit-entry.entity.js';

/** An entry of the audit log as it is chained and exported. */
export interface ChainedEntry {
  readonly action: string;
  readonly address: string | null;
  readonly app_id: string;
  readonly entry_id: string;
  readonly key_id: string;
  /** UTC in microseconds, such as `2026-01-31T12:00:00.123456Z`. */
  readonly logged_at: string;
  readonly outcome: AuditOutcome;
  readonly person: string | null;
  readonly request_id: string | null;
  readonly status_code: number | null;
  readonly subject: string | null;
}

/** The end of the chain of a tenant. */
export interface ChainHead {
  readonly position: string;
  readonly hash: string;
}

/** The hash before the first entry of a tenant. */
export const NO_HASH = '';

/** The columns of {@link ChainedEntry} of rows `e` of `audit_log`. */
export const CHAINED_COLUMNS = raw(
  `e.action, e.address, e.app_id, e.entry_id::text as entry_id, e.key_id,
   to_char(e.logged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as logged_at,
   e.outcome, e.person, e.request_id, e.status_code, e.subject`,
);

/**
 * Returns the hash that chains an entry to the entries of its tenant before it: SHA-256, in hexadecimal digits, of the
 * previous hash, a line feed, and the entry in canonical JSON (RFC 8785). Anybody can compute it from an export. It has
 * no secret, so whoever can write the database can compute a new chain: an exported head, kept elsewhere, shows that.
 */
export function hashOf(previous: string, entry: ChainedEntry): string {
  return createHash('sha256')
    .update(`${previous}\n${canonical(entry)}`)
    .digest('hex');
}

/** The members are in the order of their names, and have strings, integers and null only. */
function canonical(entry: ChainedEntry): string {
  const members = Object.entries(entry).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(Object.fromEntries(members));
}
