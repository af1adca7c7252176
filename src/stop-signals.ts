type Stop = (signal: NodeJS.Signals) => Promise<void>;

/** Exit codes by signal: 128 plus the number of the signal. */
const EXIT_CODES: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 130, SIGTERM: 143 };

let stop: Stop = (signal) => giveUpStart(signal);
let hasBegun = false;
let isListening = false;

/**
 * Handles the first SIGTERM or SIGINT and ignores later ones, because supervisors and terminals often send several. Until
 * {@link stopBy} registers the stop, a signal ends the start. Node as process 1, as in a container, ignores signals
 * without a listener, so this runs before any slow work and imports nothing.
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

/** @param work stops the process from now on, and must end it */
export function stopBy(work: Stop): void {
  stop = work;
}

/**
 * Ends the process during a start. The database rolls uncommitted work back, and the lock of the data folder becomes
 * stale.
 * @param settled work to await before the end
 */
export async function giveUpStart(signal: NodeJS.Signals, settled?: Promise<unknown>): Promise<never> {
  process.stderr.write(`Stopping on ${signal} during the start\n`);
  await settled;
  process.exit(EXIT_CODES[signal] ?? 1);
}
