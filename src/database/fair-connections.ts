import type { Caller } from '../request/request-context.js';

/** Part of the connections that a caller may hold while others need some too. */
const PART = 1 / 4;

/** Milliseconds for which a caller counts as there after its last statement. */
const PRESENT_MS = 3_000;

interface Held {
  connections: number;
  /** Begins each of the requests of this caller that wait for one of its connections. */
  readonly waiting: Set<() => void>;
}

interface Seen {
  readonly name: string;
  readonly at: number;
}

const NEVER: Seen = { name: '', at: -Infinity };

/**
 * Shares the connections of a process. The pool itself serves who comes first, so that the statements of one caller could
 * take all connections and cores. While several callers are there, each holds a quarter of the connections at most; its
 * other requests wait. A request that holds a connection, for a transaction for example, gets a second one at once: it
 * could otherwise wait for itself. Work without a caller (jobs, logins) does not wait.
 */
export class FairConnections {
  private readonly callers = new Map<string, Held>();
  private readonly share: number;
  /** The last caller, and the last one before with another name. */
  private last = NEVER;
  private other = NEVER;

  /** @param waitMs milliseconds after which a waiting request takes its turn at the pool; 0 for no limit */
  constructor(
    poolSize: number,
    private readonly waitMs: number,
  ) {
    this.share = Math.max(1, Math.floor(poolSize * PART));
  }

  /**
   * Calls `connect` when it is the caller's turn.
   * @returns its result, and a function to be called when the connection is given back
   * @throws the abort reason of the signal
   */
  async take<T>(caller: Caller, connect: () => Promise<T>, signal?: AbortSignal): Promise<[T, () => void]> {
    const held = this.callers.get(caller.name) ?? { connections: 0, waiting: new Set() };
    this.callers.set(caller.name, held);
    this.see(caller.name);
    const goesOn = caller.connections > 0 && caller.connections < this.share;
    if (goesOn || !this.isFull(caller.name, held)) held.connections += 1;
    else await this.turn(held, signal);
    caller.connections += 1;
    const giveBack = (): void => {
      caller.connections -= 1;
      held.connections -= 1;
      this.admit(caller.name, held);
    };
    try {
      return [await connect(), giveBack];
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** Resolves when a connection of the caller is free, which then counts as held. */
  private turn(held: Held, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        held.waiting.delete(begin);
        signal?.removeEventListener('abort', abort);
      };
      const begin = (): void => {
        end();
        held.connections += 1;
        resolve();
      };
      const abort = (): void => {
        end();
        reject(signal?.reason as Error);
      };
      const timer = this.waitMs === 0 ? undefined : setTimeout(begin, this.waitMs);
      held.waiting.add(begin);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Begins requests of a caller that wait. */
  private admit(name: string, held: Held): void {
    for (const begin of held.waiting) {
      if (this.isFull(name, held)) return;
      begin();
    }
    if (held.connections === 0) this.callers.delete(name);
  }

  private see(name: string): void {
    if (this.last.name !== name) this.other = this.last;
    this.last = { name, at: performance.now() };
  }

  private isFull(name: string, { connections }: Held): boolean {
    const { at } = this.last.name === name ? this.other : this.last;
    return connections >= this.share && performance.now() - at < PRESENT_MS;
  }
}
