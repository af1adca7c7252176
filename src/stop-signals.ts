type Stop = (signal: NodeJS.Signals) => Promise<void>;

/** Exit codes by signal: 128 plus the number of the signal. */
const EXIT_CODES: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 130, SIGTERM: 143 };

let stop: Stop = (signal) => giveUpStart(signal);
let hasBegun = false;
let isListening = false;

/**
 * Handles the first SIGTERM or SIGINT and ignores later signals, because supervisors and terminals often send several.
 * A signal ends the process at once until {@link stopBy} registers how to stop. If Node is process 1, for example in a
 * container, it ignores signals that have no listener. Therefore this function is called before any slow work, and this
 * file imports nothing.
 */
export function listenForStopSignals(): void {
  if (isListening) return;
  isListening = true;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (hasBegun) return;
      hasBegun = true;
      void stop(signal);
    });
  }
}

/**
 * Registers how to stop.
 *
 * @param work function that is called on a signal from now on, and that must end the process
 */
export function stopBy(work: Stop): void {
  stop = work;
}

/**
 * Ends the process while it is starting. This is safe, because the database rolls back uncommitted work, and the lock
 * of the data folder becomes stale.
 * @param settled work that must finish before the process ends
 */
export async function giveUpStart(signal: NodeJS.Signals, settled?: Promise<unknown>): Promise<never> {
  process.stderr.write(`Stopping on ${signal} during the start\n`);
  await settled;
  process.exit(EXIT_CODES[signal] ?? 1);
}
