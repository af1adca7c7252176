import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { inDataFolder } from './config/data-folder.js';
import type { Settings } from './config/settings.js';
import { createLogger, NestLogger } from './http/logger.js';

/**
 * Migrates schema and indexes to this version, like a start before it opens the port, and ends. Runs no jobs and serves
 * no requests.
 * @throws StartRefused for every reason that would prevent a start.
 */
export async function runMigrations(settings: Settings): Promise<void> {
  const context = await inDataFolder(settings, () =>
    NestFactory.createApplicationContext(AppModule.with({ ...settings, WORKER: 'off' }), {
      logger: new NestLogger(createLogger(settings)),
      abortOnError: false,
    }),
  );
  await context.close();
}
