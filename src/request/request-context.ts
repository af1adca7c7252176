import { AsyncLocalStorage } from 'node:async_hooks';

/** Data of a request or background job, available to everything that runs for it. Contains no data of a tenant. */
interface RequestContext {
  readonly signal: AbortSignal | undefined;
  readonly begun: number;
  /** Durations in milliseconds by step. */
  readonly steps: Map<string, number>;
  readonly usage: Usage;
  /** Statement time of a request; undefined for a job, because the statements of a job have no common limit. */
  readonly statements: StatementTime | undefined;
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
  return runWith(signal, undefined, work);
}

/** Like {@link runInContext}, but for work that a client waits for. The total time of its statements is limited. */
export function runInRequest<T>(signal: AbortSignal | undefined, work: () => T): T {
  return runWith(signal, { spentMs: 0, extraMs: 0 }, work);
}

function runWith<T>(
  signal: AbortSignal | undefined,
  statements: StatementTime | undefined,
  work: () => T,
): T {
  return storage.run(
    { signal, begun: performance.now(), steps: new Map(), usage: { tokens: 0 }, statements },
    work,
  );
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
