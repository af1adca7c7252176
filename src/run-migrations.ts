import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { inDataFolder } from './config/data-folder.js';
import type { Settings } from './config/settings.js';
import { createLogger, NestLogger } from './http/logger.js';

/**
 * Does what a start does before the port is open, and ends: the schema and the indexes of the database are those of this
 * version then. Nothing is taken from the queue, and no request is answered.
 * @throws StartRefused with whatever would refuse the start.
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
