import fastifyStatic from '@fastify/static';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { packageRoot } from '../config/package-root.js';
import type { Settings } from '../config/settings.js';
import type { RouteRules } from './route.decorator.js';

const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/**
 * What every page of the service is sent with: nothing from elsewhere, no inline script, no frame around it; images of
 * pages may be data URIs and blobs.
 * @param styles where styles may come from
 */
export function pageHeaders(styles = "'self'"): Record<string, string> {
  return {
    'content-security-policy': [...POLICY, `style-src ${styles}`].join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  };
}

/** Where `npm run build` puts the pages of `web/`. */
const PAGES = join(packageRoot, 'dist', 'web');

const HEADERS = pageHeaders();

const OPEN: object = {
  access: 'open',
  multipart: false,
  form: false,
  carriesDocument: false,
} satisfies RouteRules;

/**
 * The playground at `/`, its scripts and styles at `/assets/`: public files that know nothing of any tenant. Where they
 * were not built, `/` stays unknown.
 */
export function servePlayground(fastify: FastifyInstance, { AUTH_MODE }: Settings): void {
  const index = join(PAGES, 'index.html');
  if (!existsSync(index)) {
    new Logger('Playground').warn('The playground is not built: npm run build makes it');
    return;
  }
  // The page asks for a key only where there are keys.
  const page = readFileSync(index, 'utf8').replace('data-auth-mode="key"', `data-auth-mode="${AUTH_MODE}"`);
  fastify.get('/', { config: OPEN }, async (_request, reply: FastifyReply) => {
    await reply
      .headers(HEADERS)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(page);
  });
  // The names of these files carry a hash of their contents.
  void fastify.register(fastifyStatic, {
    root: join(PAGES, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    preCompressed: true,
    immutable: true,
    maxAge: '1y',
    setHeaders: (reply) => {
      void reply.headers(HEADERS);
    },
  });
}
