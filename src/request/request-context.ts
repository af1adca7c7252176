import { AsyncLocalStorage } from 'node:async_hooks';

/** Who sent a request, for the fair share of connections. */
export interface Caller {
  /** Tells callers apart. */
  readonly name: string;
  /** Connections to the database that the request holds. */
  connections: number;
}

/** Data of a request or background job, available to everything that runs for it. Contains no data of a tenant. */
interface RequestContext {
  readonly signal: AbortSignal | undefined;
  readonly begun: number;
  /** Durations in milliseconds by step. */
  readonly steps: Map<string, number>;
  readonly usage: Usage;
  /** Statement time of a request; undefined for a job, because the statements of a job have no common limit. */
  readonly statements: StatementTime | undefined;
  /** undefined for a job, and for a request without a key. */
  readonly caller: Caller | undefined;
}

export interface Usage {
  tokens: number;
}

/** Total time of all statements of a request. */
export interface StatementTime {
  /** Milliseconds used so far. */
  spentMs: number;
  /** Additional milliseconds for work on a long document. */
  extraMs: number;
}

const storage = new AsyncLocalStorage<RequestContext>();

/**
 * Runs `work` in a new context. Everything that it starts, including async generators, inherits the context.
 * @param signal aborts when the result is no longer needed, because the client disconnected or the lease of the job was
 * lost; undefined for work that always runs to its end
 */
export function runInContext<T>(signal: AbortSignal | undefined, work: () => T): T {
  return runWith({ signal, statements: undefined, caller: undefined }, work);
}

/**
 * Like {@link runInContext}, but for work that a client waits for. The total time of its statements is limited.
 * @param caller tells callers apart, which share the connections to the database
 */
export function runInRequest<T>(signal: AbortSignal | undefined, work: () => T, caller?: string): T {
  const statements = { spentMs: 0, extraMs: 0 };
  return runWith(
    { signal, statements, caller: caller === undefined ? undefined : { name: caller, connections: 0 } },
    work,
  );
}

function runWith<T>(given: Pick<RequestContext, 'signal' | 'statements' | 'caller'>, work: () => T): T {
  return storage.run({ ...given, begun: performance.now(), steps: new Map(), usage: { tokens: 0 } }, work);
}

/** Runs a part of a request that stops when `signal` aborts. Durations and tokens still count for the request. */
export function runUntil<T>(signal: AbortSignal, work: () => T): T {
  const context = storage.getStore();
  return context === undefined ? runInRequest(signal, work) : storage.run({ ...context, signal }, work);
}

/** Returns the statement time of the current request, or undefined outside a request. */
export function statementTime(): StatementTime | undefined {
  return storage.getStore()?.statements;
}

export function currentCaller(): Caller | undefined {
  return storage.getStore()?.caller;
}

/** Runs `work` without a context. For work that several requests share: the end of one request must not abort it. */
export function runDetached<T>(work: () => T): T {
  return storage.exit(work);
}

/** Returns the abort signal of the current request or job, or undefined outside of requests and jobs. */
export function currentSignal(): AbortSignal | undefined {
  return storage.getStore()?.signal;
}

/** @throws the abort reason of the current signal. */
export function throwIfAborted(): void {
  currentSignal()?.throwIfAborted();
}

/** Adds tokens used by a model for the current request. */
export function addTokens(tokens: number): void {
  const usage = currentUsage();
  if (usage !== undefined) usage.tokens += tokens;
}

/**
 * Returns the token usage of the current request or job, or undefined outside of requests and jobs. Later model calls
 * update the returned object.
 */
export function currentUsage(): Usage | undefined {
  return storage.getStore()?.usage;
}

/** Runs `step` and records its duration, even if it fails. Durations of steps with the same name are added up. */
export async function timed<T>(name: string, step: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await step();
  } finally {
    addTiming(name, performance.now() - start);
  }
}

export function addTiming(name: string, milliseconds: number): void {
  const steps = storage.getStore()?.steps;
  steps?.set(name, (steps.get(name) ?? 0) + milliseconds);
}

/**
 * Returns the durations of all steps and the `total` so far, in milliseconds rounded to a tenth. Returns an empty
 * object outside a request.
 */
export function currentTimings(): Record<string, number> {
  const context = storage.getStore();
  if (context === undefined) return {};
  const all = [...context.steps, ['total', performance.now() - context.begun] as const];
  return Object.fromEntries(all.map(([name, milliseconds]) => [name, Math.round(milliseconds * 10) / 10]));
}
