import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { Unavailable } from '../errors/index.js';
import { statementTime } from '../request/request-context.js';
import { inChildSpan, SpanKind } from '../telemetry/spans.js';
import { RETRY_SECONDS, tookTooLong } from './failures.js';
import { StatementNames } from './statement-names.js';

/** How long the database may take. */
export interface Deadlines {
  /** For a connection, a free or a new one; milliseconds. */
  readonly connectMs: number;
  /** For one statement; milliseconds, 0: as long as it takes. */
  readonly statementMs: number;
}

/**
 * The service waits this much longer than the server: one that still answers tells itself that the time is up. As long
 * may a server take to say that it has cancelled a statement.
 */
const SILENCE_MS = 1_000;

/** A transaction that its service forgot, because it died or lost its way, lets go of its locks after this time. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** What TypeORM begins a transaction with. */
const BEGIN = 'START TRANSACTION';

/** The statements of a request may together take this many times what one may. */
const REQUEST_STATEMENTS = 4;

/** What is known of the connections to a server. */
export interface Session {
  /** Whether a statement that has a name is known to the next one. Poolers in transaction mode may change the server. */
  keepsNames: boolean;
}

interface TimedConfig extends ClientConfig {
  readonly statementMs: number;
}

/** Of a statement as `pg` takes it: its text, or an object with it. */
function textOf(statement: unknown): string {
  const text = statement instanceof Object && 'text' in statement ? statement.text : statement;
  return typeof text === 'string' ? text : '';
}

/** The first word of a statement, by which its span is called. */
function operationOf(text: string): string {
  return /[a-z]+/i.exec(text)?.[0].toUpperCase() ?? 'SQL';
}

/** The text of a statement holds no values: those are parameters, which no span carries. */
function described(text: string) {
  return {
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': 'postgresql', 'db.query.text': text },
  };
}

/** A connection that knows how long a statement may take, and what the statements of a request may take together. */
export abstract class TimedClient extends Client {
  /** Milliseconds; 0: as long as it takes. */
  statementMs: number;
  private readonly usualMs: number;

  constructor(config: TimedConfig) {
    super(config);
    this.usualMs = config.statementMs;
    this.statementMs = config.statementMs;
  }

  /** As `pg` has it, with promises. */
  override query(...given: unknown[]): never {
    const text = textOf(given[0]);
    return inChildSpan(operationOf(text), described(text), () => this.counted(given)) as never;
  }

  /** @param limitMs milliseconds; 0: as long as it takes. */
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
 * A connection to a server, or to a pooler in transaction mode before it, which takes no settings for longer than a
 * transaction: each transaction brings its deadlines along. The server itself ends a statement at its
 * `statement_timeout`; one that goes on for somewhat longer, because a pooler has dropped that or the server is silent,
 * is cancelled. A connection on which nothing comes all the same is destroyed, with all that waits on it, and a new one
 * takes its place in the pool.
 */
export class ServerClient extends TimedClient {
  private readonly names = new StatementNames();
  private readonly session: Session;

  constructor(config: TimedConfig & { readonly session: Session }) {
    super(config);
    this.session = config.session;
  }

  protected override async timed(given: unknown[], limitMs: number): Promise<unknown> {
    if (limitMs === 0) return this.send(given);
    const isLast = limitMs < this.statementMs; // of what its request may take; the server does not know
    const work = this.send(given);
    let giving: Promise<void> | undefined;
    const timer = setTimeout(
      () => {
        giving = this.giveUp(work, isLast ? tookTooLong() : silent());
      },
      isLast ? limitMs : limitMs + SILENCE_MS,
    );
    try {
      return await work;
    } finally {
      clearTimeout(timer);
      await giving; // else the cancel request may meet the next statement of this connection
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
      // Work on whole documents may take longer than a statement; waiting for others may not.
      lock_timeout: this.statementMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    })
      .map(([name, value]) => `set local ${name} = ${value}`)
      .join('; ');
  }

  /** A pooler forgets the cancel request of a connection that is closed before it was passed on. */
  private async giveUp(work: Promise<unknown>, reason: Error): Promise<void> {
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

/** What PostgreSQL told a connection about itself when it began. */
interface Backend {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

const CANCEL_REQUEST_CODE = 80_877_102;

/**
 * Sends a CancelRequest (PostgreSQL's frontend/backend protocol, "Canceling Requests in Progress") over a connection of
 * its own, which needs no place in a pool and no login; without TLS, as libpq did until version 17. The server closes it
 * once the running statement was told. A pooler takes its end for a change of mind: it stays open until then.
 * @throws Error when it is not taken.
 */
export async function cancelStatement(client: Client): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as Backend;
  const request = Buffer.alloc(16);
  [request.length, CANCEL_REQUEST_CODE, processID, secretKey].forEach((word, index) => {
    request.writeInt32BE(word, 4 * index);
  });
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('the cancel request was not answered')));
  socket.write(request);
  socket.resume();
  await once(socket, 'close');
}

function silent(): Unavailable {
  return new Unavailable('The database does not answer', RETRY_SECONDS);
}

/**
 * The connection to the embedded database, which ends no statement and has no second connection: past the deadline
 * the caller is told, the statement goes on, and whoever comes before its end is refused at once.
 */
export class EmbeddedClient extends TimedClient {
  private isOverdue = false;

  protected override async timed(given: unknown[], limitMs: number): Promise<unknown> {
    if (this.isOverdue) {
      // The transaction of the overdue statement has to end with it; nobody waits for that.
      if (given[0] === 'ROLLBACK') this.send(given).catch(() => undefined);
      throw new Unavailable('The database is busy with a statement that takes too long', RETRY_SECONDS);
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
