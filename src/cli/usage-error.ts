/** A command line that cannot be understood: the message says why. */
export class UsageError extends Error {}
