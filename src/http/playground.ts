import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { packageRoot } from '../config/package-root.js';
import type { Settings } from '../config/settings.js';
import { pageHeaders } from './page-headers.js';
import type { RouteRules } from './route.decorator.js';

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
