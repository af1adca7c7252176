import { AsyncLocalStorage } from 'node:async_hooks';

/** What goes with a request or a background job through everything that is done for it. Nothing of a tenant's. */
interface RequestContext {
  readonly signal: AbortSignal | undefined;
  readonly begun: number;
  /** Milliseconds by step. */
  readonly steps: Map<string, number>;
  readonly usage: Usage;
  /** Of a request; a job takes as long as it takes. */
  readonly statements: StatementTime | undefined;
}

/** What models have used for a request. */
export interface Usage {
  tokens: number;
}

/** What the statements of a request may take together. */
export interface StatementTime {
  /** Milliseconds that they have taken so far. */
  spentMs: number;
  /** Milliseconds that they may take beyond what every request may, for work on a long document. */
  extraMs: number;
}

const storage = new AsyncLocalStorage<RequestContext>();

/**
 * Runs `work` in a context of its own, which everything that it starts keeps, async generators included.
 * @param signal aborted when nobody waits for the work any more (the client left, the lease is lost); undefined for work
 *   that is carried through.
 */
export function runInContext<T>(signal: AbortSignal | undefined, work: () => T): T {
  return runWith(signal, undefined, work);
}

/** As {@link runInContext}, for work that a client waits for: the time of its statements is counted. */
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

/** Of the present request; undefined outside of one. */
export function statementTime(): StatementTime | undefined {
  return storage.getStore()?.statements;
}

/** Runs `work` outside of any context: for what several requests share, and the first to leave must not stop. */
export function runDetached<T>(work: () => T): T {
  return storage.exit(work);
}

/** The signal of the present request or job; undefined outside of one. */
export function currentSignal(): AbortSignal | undefined {
  return storage.getStore()?.signal;
}

/** @throws the reason of the present signal when it is aborted. */
export function throwIfAborted(): void {
  currentSignal()?.throwIfAborted();
}

/** Counts tokens that a model has used for the present request. */
export function addTokens(tokens: number): void {
  const usage = currentUsage();
  if (usage !== undefined) usage.tokens += tokens;
}

/** Of the present request or job, which goes on counting; undefined outside of one. */
export function currentUsage(): Usage | undefined {
  return storage.getStore()?.usage;
}

/** Runs `step` and counts the time it takes, failures included; a step that runs twice is counted together. */
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

/** Every step of the present request and `total` so far, in milliseconds to a tenth; empty outside of one. */
export function currentTimings(): Record<string, number> {
  const context = storage.getStore();
  if (context === undefined) return {};
  const all = [...context.steps, ['total', performance.now() - context.begun] as const];
  return Object.fromEntries(all.map(([name, milliseconds]) => [name, Math.round(milliseconds * 10) / 10]));
}
