import { Client, type ClientConfig } from 'pg';
import { Unavailable } from '../errors/index.js';
import { statementTime } from '../request/request-context.js';
import { inChildSpan, SpanKind } from '../telemetry/spans.js';
import { cancelStatement } from './cancel-statement.js';
import { RETRY_SECONDS, tookTooLong } from './failures.js';

/** How long the database may take. */
export interface Deadlines {
  /** For a connection, a free or a new one; milliseconds. */
  readonly connectMs: number;
  /** For one statement; milliseconds, 0: as long as it takes. */
  readonly statementMs: number;
}

/** The service waits this much longer than the server: one that still answers tells itself that the time is up. */
const SILENCE_MS = 1_000;

/** The statements of a request may together take this many times what one may. */
const REQUEST_STATEMENTS = 4;

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
 * A connection to a server. The server itself ends a statement at its `statement_timeout`; a connection on which nothing
 * comes for somewhat longer is destroyed, with all that waits on it, and a new one takes its place in the pool.
 */
export class ServerClient extends TimedClient {
  protected override async timed(given: unknown[], limitMs: number): Promise<unknown> {
    if (limitMs === 0) return this.send(given);
    const isLast = limitMs < this.statementMs; // of what its request may take; the server does not know
    const timer = setTimeout(
      () => {
        this.drop(isLast ? tookTooLong() : silent());
      },
      isLast ? limitMs : limitMs + SILENCE_MS,
    );
    try {
      return await this.send(given);
    } finally {
      clearTimeout(timer);
    }
  }

  private drop(reason: Error): void {
    // It may be the way back that is silent: what runs there would go on for nobody.
    cancelStatement(this).catch(() => undefined);
    this.connection.stream.destroy(reason);
  }
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
