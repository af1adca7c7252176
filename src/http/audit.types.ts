import type { AuditEvent } from '../auth/audit/audit-events.js';

/** Input and response of a request. An audit rule takes the subject from them. */
export interface AuditedCall {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Body of the response; empty if the request failed. */
  readonly answer: Readonly<Record<string, unknown>>;
}

/** Determines how requests to a route are recorded in the audit log. */
export interface AuditRule {
  readonly action: AuditEvent;
  /** Whether the request performs the action and must be recorded. If absent, every request is recorded. */
  readonly when?: (call: AuditedCall) => boolean;
  /** Returns the ids and names of the objects on which the action was performed; never a secret. */
  readonly subject: (call: AuditedCall) => readonly unknown[];
}
