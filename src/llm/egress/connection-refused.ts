/** An address that this service does not connect to; found again in the cause of a library's connection error. */
export class ConnectionRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConnectionRefused';
  }

  /** The refusal among `error` and its causes. */
  static in(error: unknown): ConnectionRefused | undefined {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      if (cause instanceof ConnectionRefused) return cause;
    }
    return undefined;
  }
}
