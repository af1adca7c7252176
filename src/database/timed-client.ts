import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { Unavailable } from '../errors/index.js';
import { statementTime } from '../request/request-context.js';
import { inChildSpan, SpanKind } from '../telemetry/spans.js';
import { isDiskFull, RETRY_SECONDS, tookTooLong } from './failures.js';
import { StatementNames } from './statement-names.js';

export interface Deadlines {
  /** Maximum wait for a free or new connection, in milliseconds. */
  readonly connectMs: number;
  /** Maximum time of one statement, in milliseconds; 0 for no limit. */
  readonly statementMs: number;
}

/**
 * Grace period after the timeout of the server, in milliseconds. A server that still responds reports the timeout
 * within this period. The answer to a cancel request must also arrive within this time.
 */
const SILENCE_MS = 1_000;

/**
 * Time in milliseconds after which the server ends an idle transaction. This releases the locks of a transaction that
 * its client has abandoned, for example after a crash of the service.
 */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** Statement with which TypeORM begins a transaction. */
export const BEGIN = 'START TRANSACTION';

/** Deadline for all statements of a request together, as a multiple of the statement deadline. */
const REQUEST_STATEMENTS = 4;

/** Properties that all connections to a server share. */
export interface Session {
  /**
   * Whether a connection keeps its prepared statements. Behind a pooler in transaction mode it may not keep them,
   * because the next statement may run on another connection to the server.
   */
  keepsNames: boolean;
  /** Whether a statement failed because the disk of the server was full, and nothing has shown since that it is not. */
  wasDiskFull: boolean;
}

interface TimedConfig extends ClientConfig {
  readonly statementMs: number;
}

export interface ServerConfig extends TimedConfig {
  readonly session: Session;
}

/** Returns the text of a statement passed to `pg` as text or object. */
function textOf(statement: unknown): string {
  const text = statement instanceof Object && 'text' in statement ? statement.text : statement;
  return typeof text === 'string' ? text : '';
}

/** Returns the first word of a statement, the name of its span. */
function operationOf(text: string): string {
  return /[a-z]+/i.exec(text)?.[0].toUpperCase() ?? 'SQL';
}

/** Describes a statement for its span. The text of the statement contains no values, because values are parameters. */
function described(text: string) {
  return {
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': 'postgresql', 'db.query.text': text },
  };
}

/** A connection with a deadline for each statement and for all statements of a request together. */
export abstract class TimedClient extends Client {
  /** Deadline of a statement in milliseconds; 0 for no limit. */
  statementMs: number;
  private readonly usualMs: number;

  constructor(config: TimedConfig) {
    super(config);
    this.usualMs = config.statementMs;
    this.statementMs = config.statementMs;
  }

  /** Has the signature of the method in `pg` that returns a promise. */
  override query(...given: unknown[]): never {
    const text = textOf(given[0]);
    return inChildSpan(operationOf(text), described(text), () => this.counted(given)) as never;
  }

  /** Runs a statement with a time limit. @param limitMs milliseconds; 0 for no limit. */
  protected abstract timed(given: unknown[], limitMs: number): Promise<unknown>;

  private async counted(given: unknown[]): Promise<unknown> {
    const time = statementTime();
    if (time === undefined || this.statementMs === 0) return this.timed(given, this.statementMs);
    const left = REQUEST_STATEMENTS * this.usualMs + time.extraMs - time.spentMs;
    if (left <= 0 && given[0] !== 'ROLLBACK') throw tookTooLong();
    const limitMs = left <= 0 ? this.statementMs : Math.min(this.statementMs, left);
    const begun = performance.now();
    try {
      return await this.timed(given, limitMs);
    } finally {
      time.spentMs += performance.now() - begun;
    }
  }

  protected send(given: unknown[]): Promise<unknown> {
    return super.query(...(given as [text: string, values?: unknown[]]));
  }
}

/**
 * A connection to a server, or to a pooler in transaction mode. A pooler keeps no settings beyond a transaction, so
 * each transaction sets its own timeouts. The server ends a statement at its `statement_timeout`. If the server does
 * not, because a pooler dropped the setting or the server is silent, the client cancels the statement after a grace
 * period. A connection that remains silent is destroyed with all its pending statements, and the pool opens a new
 * connection.
 */
export class ServerClient extends TimedClient {
  private readonly names = new StatementNames();
  private readonly session: Session;

  constructor(config: ServerConfig) {
    super(config);
    this.session = config.session;
  }

  protected override async timed(given: unknown[], limitMs: number): Promise<unknown> {
    try {
      return await this.limited(given, limitMs);
    } catch (error) {
      if (isDiskFull(error)) this.session.wasDiskFull = true;
      throw error;
    }
  }

  private async limited(given: unknown[], limitMs: number): Promise<unknown> {
    if (limitMs === 0) return this.send(given);
    const isLast = limitMs < this.statementMs; // the limit belongs to the request, and the server does not know it
    const work = this.send(given);
    let cancelling: Promise<void> | undefined;
    const timer = setTimeout(
      () => {
        cancelling = this.cancelOrDestroy(work, isLast ? tookTooLong() : silent());
      },
      isLast ? limitMs : limitMs + SILENCE_MS,
    );
    try {
      return await work;
    } finally {
      clearTimeout(timer);
      await cancelling; // otherwise the cancel request may end the next statement of this connection
    }
  }

  protected override send(given: unknown[]): Promise<unknown> {
    const [text, values] = given;
    if (text === BEGIN) return super.send([`${BEGIN}; ${this.transactionSettings()}`]);
    const named = this.session.keepsNames && typeof text === 'string' ? this.names.of(text, values) : null;
    return super.send(named === null ? given : [named]);
  }

  private transactionSettings(): string {
    return Object.entries({
      statement_timeout: this.statementMs,
      // A longer deadline for work on whole documents applies to the time of statements, but not to the wait for locks.
      lock_timeout: this.statementMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    })
      .map(([name, value]) => `set local ${name} = ${value}`)
      .join('; ');
  }

  /**
   * Cancels the statement. If the statement does not end in time, destroys the connection. The order matters, because a
   * pooler drops the cancel request of a closed connection.
   */
  private async cancelOrDestroy(work: Promise<unknown>, reason: Error): Promise<void> {
    const isSent = await cancelStatement(this).then(
      () => true,
      () => false,
    );
    const ended = work.then(
      () => true,
      () => true,
    );
    const inTime = isSent && (await Promise.race([ended, delay(SILENCE_MS, false)]));
    if (!inTime) this.connection.stream.destroy(reason);
  }
}

/** Address of the server, and the process id and key that PostgreSQL sends when a connection opens. */
interface Backend {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

const CANCEL_REQUEST_CODE = 80_877_102;

/**
 * Sends a CancelRequest (PostgreSQL's frontend/backend protocol, "Canceling Requests in Progress") over a new
 * connection without pool, login or TLS, like libpq before version 17. The server closes the new connection after it
 * has signalled the statement. The client keeps the connection open until then, because a pooler treats an earlier
 * close as a withdrawal of the request.
 * @throws Error when the server does not close the connection in time.
 */
export async function cancelStatement(client: Client): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as Backend;
  const request = Buffer.alloc(16);
  [request.length, CANCEL_REQUEST_CODE, processID, secretKey].forEach((word, index) => {
    request.writeInt32BE(word, 4 * index);
  });
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('the cancel request got no answer')));
  socket.write(request);
  socket.resume();
  await once(socket, 'close');
}

function silent(): Unavailable {
  return new Unavailable('The database does not answer', RETRY_SECONDS);
}

/**
 * The connection to the embedded database, which cannot cancel statements and has no second connection. After the
 * deadline of a statement, the caller gets an error, but the statement continues. Later callers are rejected until the
 * statement ends.
 */
export class EmbeddedClient extends TimedClient {
  private isOverdue = false;

  protected override async timed(given: unknown[], limitMs: number): Promise<unknown> {
    if (this.isOverdue) {
      // Queues the rollback, so that the transaction of the overdue statement ends. No caller waits for the rollback.
      if (given[0] === 'ROLLBACK') this.send(given).catch(() => undefined);
      throw new Unavailable('The database is busy with a statement beyond its deadline', RETRY_SECONDS);
    }
    if (limitMs === 0) return this.send(given);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.isOverdue = true;
        reject(tookTooLong());
      }, limitMs);
      this.send(given)
        .finally(() => {
          clearTimeout(timer);
          this.isOverdue = false;
        })
        .then(resolve, reject);
    });
  }
}
