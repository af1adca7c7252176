import { NestFactory } from '@nestjs/core';
import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { AuthGuard } from '../auth/auth.guard.js';
import type { Settings } from '../config/settings.js';
import { boundLongBodies, limitBodies, requireBodyTypes } from './bodies.js';
import { Draining } from './draining.js';
import { createFastifyAdapter } from './fastify-adapter.js';
import { createLogger, NestLogger } from './logger.js';
import { serveDocumentation } from './openapi.js';
import { servePlayground } from './playground.js';
import { installRateLimit, limiterFor } from './rate-limit.js';
import { installRequestObserver, installRequestSpans, RequestObserver } from './request-observation.js';
import { installRequestContext } from './request-signal.js';
import { answerProbesOnly, refuseBeforeBody, refuseUnknownRoutes, requireRules } from './routes.js';

/**
 * The service behind HTTP: built and wired, not yet listening. The order of the hooks is the order of what a request
 * meets: id, log, CORS, key and permission, rate limit, its body, then its context.
 * @throws whatever a module cannot start with.
 */
export async function createHttpApplication(
  root: Type | DynamicModule,
  settings: Settings,
): Promise<NestFastifyApplication> {
  const logger = createLogger(settings);
  const app = await NestFactory.create<NestFastifyApplication>(root, createFastifyAdapter(settings, logger), {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  const fastify = app.getHttpAdapter().getInstance();
  requireRules(fastify);
  limitBodies(fastify, settings);
  refuseUnknownRoutes(fastify);
  if (settings.WORKER === 'only') answerProbesOnly(fastify);
  app.get(Draining).install(fastify);
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) installRequestSpans(fastify);
  if (settings.CORS_ORIGINS.length > 0) {
    app.enableCors({
      origin: [...settings.CORS_ORIGINS],
      strictPreflight: false,
      exposedHeaders: ['X-Request-Id', 'Server-Timing', 'Retry-After', 'Content-Disposition'],
    });
  }
  refuseBeforeBody(fastify, app.get(AuthGuard));
  installRateLimit(fastify, settings.RATE_LIMIT_PER_MINUTE, limiterFor(settings, app.get(DataSource)));
  installRequestObserver(fastify, app.get(RequestObserver));
  requireBodyTypes(fastify);
  boundLongBodies(fastify);
  installRequestContext(fastify);
  const isWorker = settings.WORKER === 'only';
  if (settings.PLAYGROUND && !isWorker) servePlayground(fastify, settings);
  if (settings.DOCS && !isWorker) serveDocumentation(app);
  return app;
}
