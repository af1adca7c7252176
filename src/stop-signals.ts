type Stop = (signal: NodeJS.Signals) => Promise<void>;

/** What a shell says of a process that ended by a signal is 128 and its number. */
const EXIT_CODES: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 130, SIGTERM: 143 };

let stop: Stop = (signal) => giveUpStart(signal);
let hasBegun = false;
let isListening = false;

/**
 * From now on SIGTERM and SIGINT stop the process, once: signals that follow the first change nothing, since supervisors
 * and terminals tend to send several. Until {@link stopBy} says how, they end the start. Nobody but a listener takes a
 * signal where Node is process 1, as in a container, so this comes before all that takes time, and imports nothing.
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

/** @param work how the process stops from now on; it ends the process. */
export function stopBy(work: Stop): void {
  stop = work;
}

/**
 * The database takes back what was not committed, and the lock of the data folder is seen to be nobody's.
 * @param settled what the process has to wait for before it may end
 */
export async function giveUpStart(signal: NodeJS.Signals, settled?: Promise<unknown>): Promise<never> {
  process.stderr.write(`Stopping on ${signal}; the start was not over\n`);
  await settled;
  process.exit(EXIT_CODES[signal] ?? 1);
}
