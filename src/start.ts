import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from './config/settings.js';
import { modelsLoaded } from './models/embedding/local/model-thread.js';
import { StartRefused } from './errors/index.js';
import { Draining } from './http/draining.js';
import { giveUpStart, listenForStopSignals, stopBy } from './stop-signals.js';

/** Maximum duration of a shutdown in milliseconds. The process then abandons unfinished work and exits. */
const LAST_RESORT_MS = 28_000;

/** Interval in milliseconds at which the service checks whether its parent process exists, if npm or npx started it. */
const PARENT_EVERY_MS = 500;

/**
 * Makes SIGTERM and SIGINT end the process as soon as no model is being loaded. This applies until {@link start} is
 * called.
 */
export function prepareStart(): void {
  listenForStopSignals();
  stopBy((signal) => giveUpStart(signal, modelsLoaded()));
}

/**
 * Starts the server, and stops it on SIGTERM or SIGINT: the readiness probe fails, background work ends, running
 * requests finish, and finally the port and the database are closed.
 * @param atTheEnd cleans up after everything else has ended
 * @throws StartRefused when the address is in use or not available.
 */
export async function start(
  app: NestFastifyApplication,
  settings: Settings,
  atTheEnd: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  listenForStopSignals();
  stopBy((signal) => stop(app, settings, signal, atTheEnd));
  if (process.env['npm_execpath'] !== undefined) stopWithParent();
  try {
    await app.listen(settings.PORT, settings.HOST);
  } catch (error) {
    await app.close();
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== 'listen' && syscall !== 'getaddrinfo') throw error;
    throw new StartRefused(
      `Cannot listen on ${settings.HOST}:${settings.PORT} (${code ?? 'no reason given'}): set HOST and PORT, or --host and --port of lectern serve, to another address`,
      {
        cause: error,
      },
    );
  }
  if (settings.WORKER === 'only') new Logger('Lectern').log('The worker is running');
}

/**
 * Stops the service when its parent process ends. npm and npx start the service through a shell, which receives SIGTERM
 * but does not forward it. Without this check, the service would continue as an orphan and keep its port and data
 * folder.
 */
function stopWithParent(): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_EVERY_MS).unref();
}

async function stop(
  app: NestFastifyApplication,
  { SHUTDOWN_DELAY_MS }: Settings,
  signal: NodeJS.Signals,
  atTheEnd: () => Promise<void>,
): Promise<void> {
  const logger = new Logger('Lectern');
  logger.log(`Stopping on ${signal}`);
  app.get(Draining).begin();
  await delay(SHUTDOWN_DELAY_MS);
  setTimeout(() => {
    logger.error(`The stop took longer than ${LAST_RESORT_MS / 1_000} s; unfinished work was abandoned`);
    process.exit(1);
  }, LAST_RESORT_MS).unref();
  try {
    await app.close();
    await atTheEnd();
    process.exit(0);
  } catch (error) {
    logger.error(error);
    process.exit(1);
  }
}
