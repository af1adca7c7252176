import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { inDataFolder } from './config/data-folder.js';
import type { Settings } from './config/settings.js';
import { createLogger, NestLogger } from './http/logger.js';

/**
 * Migrates the schema and indexes to this version, as the service does at its start before it opens the port. Runs no
 * jobs and serves no requests.
 * @throws StartRefused if the service would refuse to start.
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
