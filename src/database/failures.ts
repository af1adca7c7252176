import { QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { DeadlineExceeded, Unavailable } from '../errors/index.js';

/** Delay before a caller should retry. */
export const RETRY_SECONDS = 5;

/** Connection failures: SQLSTATE classes 08 and 57P, 25P03, 53300, and socket errors. */
const DOWN =
  /^(08...|57P0.|25P03|53300|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH)$/;
/** Messages of `pg` for connection failures, which have no codes. */
const LOST =
  /^(Connection terminated|timeout expired|Client has encountered a connection error|Client was closed)/;
/** Messages of a coordinator about a lost node connection (from libpq), an interrupted COPY to a node, and its own end. */
const NODE_LOST =
  /^(server closed the connection unexpectedly|connection not open|no connection to the server|could not (receive data from|send data to) server|SSL connection has been closed|postmaster was shut down|failed to (COPY to shard|complete COPY on))/;
const NO_FREE_CONNECTION = /^timeout exceeded when trying to connect/;

/** Rolled back in favour of another transaction: `serialization_failure`, `deadlock_detected`. */
const UNDONE = new Set(['40001', '40P01']);

/** SQLSTATEs of these messages: `internal_error`, `io_error`. */
const OF_A_NODE = new Set(['XX000', '58030']);

/** `disk_full`. */
const DISK_FULL = '53100';

/** Longer delay, because an operator must free space first. */
const DISK_RETRY_SECONDS = 60;

/** Cancelled by statement_timeout or lock_timeout. */
const TOOK_TOO_LONG = new Set(['57014', '55P03']);

/**
 * Returns the domain error for a lost connection, an exceeded deadline, a rolled back transaction or a full disk;
 * undefined for every other error.
 */
export function databaseFailure(error: unknown): Unavailable | DeadlineExceeded | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, driverError } = error as { code?: unknown; driverError?: unknown };
  if (typeof code === 'string' && TOOK_TOO_LONG.has(code)) return tookTooLong(error);
  if (typeof code === 'string' && UNDONE.has(code)) {
    return new Unavailable('The database rolled this transaction back in favour of another', RETRY_SECONDS, {
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
    // A connection lost between two statements surfaces as an error of the query runner or its manager.
    error instanceof QueryRunnerAlreadyReleasedError ||
    error instanceof QueryRunnerProviderAlreadyReleasedError;
  if (isDown) return new Unavailable('The database is not reachable', RETRY_SECONDS, { cause: error });
  return isOurs(driverError) ? driverError : databaseFailure(driverError);
}

/** Recognises the errors with which a {@link TimedClient} ends a statement. */
function isOurs(error: unknown): error is Unavailable | DeadlineExceeded {
  return error instanceof Unavailable || error instanceof DeadlineExceeded;
}

export function diskFull(cause?: Error): Unavailable {
  return new Unavailable('The disk of the database is full', DISK_RETRY_SECONDS, { cause });
}

export function tookTooLong(cause?: Error): DeadlineExceeded {
  return new DeadlineExceeded('The database took too long for a statement', RETRY_SECONDS, { cause });
}
