/** Input and answer of a request, from which its subject is taken. */
export interface AuditedCall {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Empty unless the request succeeded. */
  readonly answer: Readonly<Record<string, unknown>>;
}

/** What the audit log keeps of a route. */
export interface AuditRule {
  /** Subject and verb, such as `key.create`. */
  readonly action: string;
  /** Whether the request does what the action says; absent: always. */
  readonly when?: (call: AuditedCall) => boolean;
  /** Ids and names of what is acted on; never a secret. */
  readonly subject: (call: AuditedCall) => readonly unknown[];
}
