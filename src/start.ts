import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from './config/settings.js';
import { modelsLoaded } from './embedding/local/model-thread.js';
import { StartRefused } from './errors/index.js';
import { Draining } from './http/draining.js';
import { giveUpStart, listenForStopSignals, stopBy } from './stop-signals.js';

/** When a process that is stopping gives up on what does not. */
const LAST_RESORT_MS = 28_000;

/** How often a service that npm or npx started looks whether they are still there. */
const PARENT_EVERY_MS = 500;

/** From now on until {@link start}, SIGTERM and SIGINT end the process as soon as no model is being loaded. */
export function prepareStart(): void {
  listenForStopSignals();
  stopBy((signal) => giveUpStart(signal, modelsLoaded()));
}

/**
 * Listens, and stops on SIGTERM and SIGINT: the process is not ready from then on, background work ends, running requests
 * finish, then the port and the database close.
 * @param atTheEnd what is left to do when all else has ended
 * @throws StartRefused when the address is taken or not ours.
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
      `Cannot listen on ${settings.HOST}:${settings.PORT} (${code ?? 'no reason given'}): HOST and PORT, or --host and --port of lectern serve, name another address`,
      {
        cause: error,
      },
    );
  }
  if (settings.WORKER === 'only') new Logger('Lectern').log('The worker is running');
}

/**
 * npm and npx put a shell between themselves and the service, which takes their SIGTERM and passes none on: the service
 * would go on without a parent, with its port and its data folder.
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
    logger.error(`Something did not stop within ${LAST_RESORT_MS / 1_000} s and was abandoned`);
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
