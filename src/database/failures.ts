import { QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { DeadlineExceeded, Unavailable } from '../errors/index.js';

/** Seconds after which a caller should retry. */
export const RETRY_SECONDS = 5;

/** Error codes of connection failures: SQLSTATE 08..., 57P0., 25P03, and codes of sockets and DNS. */
const DOWN =
  /^(08...|57P0.|25P03|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH)$/;
/** Messages of `pg` for connection failures without a code. */
const LOST =
  /^(Connection terminated|timeout expired|Client has encountered a connection error|Client was closed)/;
/**
 * Messages of a Citus coordinator about a lost connection to a node (from libpq), an interrupted COPY to a node, and
 * the shutdown of the coordinator.
 */
const NODE_LOST =
  /^(server closed the connection unexpectedly|connection not open|no connection to the server|could not (receive data from|send data to) server|SSL connection has been closed|postmaster was shut down|failed to (COPY to shard|complete COPY on))/;
const NO_FREE_CONNECTION = /^timeout exceeded when trying to connect/;

/**
 * SQLSTATEs of a transaction that was rolled back in favour of another: `serialization_failure`, `deadlock_detected`.
 */
const UNDONE = new Set(['40001', '40P01']);

/** SQLSTATEs that errors with the messages in {@link NODE_LOST} have: `internal_error`, `io_error`. */
const OF_A_NODE = new Set(['XX000', '58030']);

/** SQLSTATE `data_exception`, and the messages of pgvector for vectors of different models. */
const DATA_EXCEPTION = '22000';
const OTHER_DIMENSIONS = /^(expected \d+ dimensions, not \d+|different \w+ dimensions \d+ and \d+)$/;

const DISK_FULL = '53100';

/** SQLSTATE `too_many_connections`: of the server, the database or the role. */
const TOO_MANY_CONNECTIONS = '53300';

/**
 * Seconds after which a caller should retry when the disk is full. The delay is longer because an operator must free
 * space first.
 */
const DISK_RETRY_SECONDS = 60;

/** SQLSTATEs of a statement that was cancelled by statement_timeout or lock_timeout. */
const TOOK_TOO_LONG = new Set(['57014', '55P03']);

/**
 * Returns the domain error for a lost connection, an exceeded deadline, a rolled back transaction, a full disk, or
 * vectors of a replaced model (`lectern reindex`). Returns undefined for every other error.
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
  if (code === TOO_MANY_CONNECTIONS) {
    return new Unavailable('The database accepts no more connections', RETRY_SECONDS, { cause: error });
  }
  if (code === DATA_EXCEPTION && OTHER_DIMENSIONS.test(error.message)) {
    return new Unavailable(
      'The stored vectors and those of this process have different dimensions: restart it with the model of the stored vectors',
      RETRY_SECONDS,
      { cause: error },
    );
  }
  if (NO_FREE_CONNECTION.test(error.message)) return noFreeConnection(error);
  const isDown =
    (typeof code === 'string' && DOWN.test(code)) ||
    LOST.test(error.message) ||
    (typeof code === 'string' && OF_A_NODE.has(code) && NODE_LOST.test(error.message)) ||
    // A connection lost between two statements appears as an error of TypeORM's query runner or its provider.
    error instanceof QueryRunnerAlreadyReleasedError ||
    error instanceof QueryRunnerProviderAlreadyReleasedError;
  if (isDown) return new Unavailable('The database is not reachable', RETRY_SECONDS, { cause: error });
  return isOurs(driverError) ? driverError : databaseFailure(driverError);
}

/** Tells whether an error is one that a {@link TimedClient} throws when it ends a statement. */
function isOurs(error: unknown): error is Unavailable | DeadlineExceeded {
  return error instanceof Unavailable || error instanceof DeadlineExceeded;
}

export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === DISK_FULL;
}

export function noFreeConnection(cause?: Error): Unavailable {
  return new Unavailable('No connection to the database was free in time', RETRY_SECONDS, { cause });
}

export function diskFull(cause?: Error): Unavailable {
  return new Unavailable('The disk of the database is full', DISK_RETRY_SECONDS, { cause });
}

export function tookTooLong(cause?: Error): DeadlineExceeded {
  return new DeadlineExceeded('The database took too long for a statement', RETRY_SECONDS, { cause });
}
