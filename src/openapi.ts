import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { readSettings } from './config/read-settings.js';
import { createFastifyAdapter } from './http/fastify-adapter.js';
import { createLogger } from './http/logger.js';
import { createOpenApiDocument } from './http/openapi.js';

/** Returns the text of `openapi.json` for the whole service with default settings, without starting it. */
export async function openApiText(): Promise<string> {
  const settings = readSettings({ LOG_LEVEL: 'silent' });
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(settings),
    createFastifyAdapter(settings, createLogger(settings)),
    { preview: true, logger: false, abortOnError: false },
  );
  return `${JSON.stringify(createOpenApiDocument(app), null, 2)}\n`;
}
