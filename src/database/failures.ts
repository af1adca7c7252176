import { QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { DeadlineExceeded, Unavailable } from '../errors/index.js';

/** When a caller may try again. */
export const RETRY_SECONDS = 5;

/** Connection failures: SQLSTATE classes 08 and 57P, 25P03, 53300, and what the socket says. */
const DOWN =
  /^(08...|57P0.|25P03|53300|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH)$/;
/** What `pg` says of them: it has no codes of its own. */
const LOST =
  /^(Connection terminated|timeout expired|Client has encountered a connection error|Client was closed)/;
/**
 * What the coordinator of a cluster passes on of a node's connection, as libpq says it, what it says of rows on their way to
 * a node, and of its own end.
 */
const NODE_LOST =
  /^(server closed the connection unexpectedly|connection not open|no connection to the server|could not (receive data from|send data to) server|SSL connection has been closed|postmaster was shut down|failed to (COPY to shard|complete COPY on))/;
const NO_FREE_CONNECTION = /^timeout exceeded when trying to connect/;

/** Undone, so that another transaction can go on: `serialization_failure`, `deadlock_detected`. */
const UNDONE = new Set(['40001', '40P01']);

/** What it comes as: `internal_error`, `io_error`. */
const OF_A_NODE = new Set(['XX000', '58030']);

/** `disk_full`. */
const DISK_FULL = '53100';

/** Until somebody has made room. */
const DISK_RETRY_SECONDS = 60;

/** Cancelled by statement_timeout or lock_timeout. */
const TOOK_TOO_LONG = new Set(['57014', '55P03']);

/**
 * A failure of the database as an error of ours, when what failed is its connection or a deadline; undefined when the
 * statement itself was at fault, or the error is no error of the database.
 */
export function databaseFailure(error: unknown): Unavailable | DeadlineExceeded | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, driverError } = error as { code?: unknown; driverError?: unknown };
  if (typeof code === 'string' && TOOK_TOO_LONG.has(code)) return tookTooLong(error);
  if (typeof code === 'string' && UNDONE.has(code)) {
    return new Unavailable('The database undid this for another transaction', RETRY_SECONDS, {
      cause: error,
    });
  }
  if (code === DISK_FULL) return diskFull(error);
  if (NO_FREE_CONNECTION.test(error.message)) {
    return new Unavailable('No connection to the database was free in time', RETRY_SECONDS, { cause: error });
  }
  const isDown =
    (typeof code === 'string' && DOWN.test(code)) ||
    LOST.test(error.message) ||
    (typeof code === 'string' && OF_A_NODE.has(code) && NODE_LOST.test(error.message)) ||
    // The connection was lost between two statements: what the runner says, and what a manager on it says.
    error instanceof QueryRunnerAlreadyReleasedError ||
    error instanceof QueryRunnerProviderAlreadyReleasedError;
  if (isDown) return new Unavailable('The database is not reachable', RETRY_SECONDS, { cause: error });
  return isOurs(driverError) ? driverError : databaseFailure(driverError);
}

/** What a {@link TimedClient} ended a statement with. */
function isOurs(error: unknown): error is Unavailable | DeadlineExceeded {
  return error instanceof Unavailable || error instanceof DeadlineExceeded;
}

export function diskFull(cause?: Error): Unavailable {
  return new Unavailable('The disk of the database is full', DISK_RETRY_SECONDS, { cause });
}

export function tookTooLong(cause?: Error): DeadlineExceeded {
  return new DeadlineExceeded('The database took too long for a statement', RETRY_SECONDS, { cause });
}
