import type { FastifyCorsOptions } from '@fastify/cors';
import { NestFactory } from '@nestjs/core';
import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AuditLog } from '../auth/audit/audit-log.js';
import { readProxyIdentities } from '../auth/people/proxy-identity.js';
import { AuthGuard } from '../auth/auth.guard.js';
import { tellSecureRequests } from '../auth/credentials.js';
import type { Settings } from '../config/settings.js';
import { printJson } from '../json/exact-json.js';
import { installAudit } from './audit.js';
import {
  boundLongBodies,
  limitBodies,
  readOnBehindRefusals,
  refuseSlowBodies,
  requireBodyTypes,
} from './bodies.js';
import { Draining } from './draining.js';
import { readPrincipals } from './end-user.js';
import { createFastifyAdapter } from './fastify-adapter.js';
import { registerForms } from './forms.js';
import { registerJsonBodies } from './json-body.js';
import { Idempotency } from './idempotency/idempotency.js';
import { installIgnoredNames } from './input/names/unknown-names.interceptor.js';
import { createLogger, NestLogger } from './logger.js';
import { serveDocumentation } from './openapi.js';
import { servePlayground } from './playground.js';
import { installEntityTags } from './entity-tag.js';
import { EndingKeys } from './ending-keys.js';
import { RateLimit } from './rate-limit.js';
import {
  installRequestObserver,
  installRequestSpans,
  recordRequest,
  RequestObserver,
} from './request-observation.js';
import { installRequestContext } from './request-signal.js';
import { installSecurityHeaders } from './security-headers.js';
import { refuseForeignHosts } from './trusted-hosts.js';
import { answerProbesOnly, refuseBeforeBody, refuseUnknownRoutes, requireRules } from './routes.js';

/**
 * Builds the HTTP application without listening. Hooks run in the order of their registration here.
 *
 * @throws the error of a module that fails to start.
 */
export async function createHttpApplication(
  root: Type | DynamicModule,
  settings: Settings,
): Promise<NestFastifyApplication> {
  const logger = createLogger(settings);
  const adapter = createFastifyAdapter(settings, logger);
  const fastify = adapter.getInstance();
  registerJsonBodies(fastify); // runs before Nest registers the multipart parser, because this call removes all parsers
  adapter.setOnRequestHook(recordRequest);
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  const isWorker = settings.WORKER === 'only';

  requireRules(fastify);
  limitBodies(fastify, settings);

  if (settings.CORS_ORIGINS.length > 0) app.enableCors(corsOf(settings));
  refuseSlowBodies(fastify);
  refuseUnknownRoutes(fastify);
  if (isWorker) answerProbesOnly(fastify);
  app.get(Draining).install(fastify);
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) installRequestSpans(fastify);
  if (settings.AUTH_MODE === 'none') refuseForeignHosts(fastify, settings);
  tellSecureRequests(fastify, settings.PUBLIC_URL);
  readProxyIdentities(fastify, settings);
  const limit = app.get(RateLimit);
  refuseBeforeBody(fastify, app.get(AuthGuard), limit.count.bind(limit));
  limit.install(fastify);
  installRequestObserver(fastify, app.get(RequestObserver));

  installSecurityHeaders(fastify);
  installAudit(fastify, app.get(AuditLog));
  installEntityTags(fastify);

  requireBodyTypes(fastify);
  boundLongBodies(fastify);
  registerForms(fastify);
  app.get(EndingKeys).install(fastify);
  installRequestContext(fastify);
  readPrincipals(fastify);
  app.get(Idempotency).install(fastify);
  installIgnoredNames(fastify);

  fastify.setReplySerializer((payload) => printJson(payload));
  readOnBehindRefusals(fastify);

  if (settings.PLAYGROUND && !isWorker) servePlayground(fastify, settings);
  if (settings.DOCS && !isWorker) serveDocumentation(app);
  return app;
}

function corsOf({ CORS_ORIGINS }: Settings): FastifyCorsOptions {
  return {
    origin: [...CORS_ORIGINS],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    strictPreflight: false,
    exposedHeaders: [
      'X-Request-Id',
      'WWW-Authenticate',
      'Server-Timing',
      'Retry-After',
      'X-Should-Retry',
      'Content-Disposition',
      'Link',
      'ETag',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'Lectern-Ignored',
      'Idempotency-Replayed',
      'Preference-Applied',
    ],
  };
}
