import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from './config/settings.js';
import { StartRefused } from './errors/index.js';

/** How long running requests may take to end once the process was told to stop. */
const GRACE_MS = 20_000;

/**
 * Listens, and stops on SIGTERM and SIGINT: no new connections, running requests finish, background work ends, then the
 * database closes.
 * @throws StartRefused when the address is taken or not ours.
 */
export async function start(app: NestFastifyApplication, settings: Settings): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      void stop(app, signal);
    });
  }
  try {
    if (settings.WORKER === 'only') await app.init();
    else await app.listen(settings.PORT, settings.HOST);
  } catch (error) {
    await app.close();
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== 'listen' && syscall !== 'getaddrinfo') throw error;
    throw new StartRefused(
      `Cannot listen on ${settings.HOST}:${settings.PORT} (${code ?? 'no reason given'})`,
      {
        cause: error,
      },
    );
  }
  if (settings.WORKER === 'only') new Logger('Lectern').log('The worker is running');
}

async function stop(app: NestFastifyApplication, signal: NodeJS.Signals): Promise<void> {
  const logger = new Logger('Lectern');
  logger.log(`Stopping on ${signal}`);
  const deadline = setTimeout(() => {
    logger.warn(`Requests still ran after ${GRACE_MS / 1_000} s and were cut off`);
    app.getHttpServer().closeAllConnections();
  }, GRACE_MS);
  try {
    await app.close();
    process.exitCode = 0;
  } catch (error) {
    logger.error(error);
    process.exitCode = 1;
  } finally {
    clearTimeout(deadline);
  }
  process.exit();
}
