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
 * Security headers of every HTML page: no third-party resources, no inline scripts, no framing. Images may be data URIs
 * and blobs.
 *
 * @param styles allowed sources of styles
 */
export function pageHeaders(styles = "'self'"): Record<string, string> {
  return {
    'content-security-policy': [...POLICY, `style-src ${styles}`].join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  };
}

/** Output directory of `npm run build` for `web/`. */
const PAGES = join(packageRoot, 'dist', 'web');

const HEADERS = pageHeaders();

const OPEN: object = {
  access: 'open',
  tokenUses: [],
  multipart: false,
  form: false,
  carriesDocument: false,
  assignsEndUser: false,
  calls: undefined,
  isData: () => false,
  idempotency: 'none',
  audit: undefined,
} satisfies RouteRules;

/**
 * Serves the playground at `/`, and its scripts and styles at `/assets/`. These are public files without tenant data.
 * If the playground was not built, `/` is a 404.
 */
export function servePlayground(fastify: FastifyInstance, settings: Settings): void {
  const { AUTH_MODE, RERANKER, DOCS, OIDC_CLIENT_ID, OIDC_NAME } = settings;
  const index = join(PAGES, 'index.html');
  if (!existsSync(index)) {
    new Logger('Playground').warn('The playground is not built; run npm run build');
    return;
  }
  // Tells the page what the service offers. With AUTH_MODE=none, the page asks for no key. It shows reranking and the
  // documentation only if the service has them, and the button of an identity provider.
  const page = readFileSync(index, 'utf8')
    .replace('data-auth-mode="key"', `data-auth-mode="${AUTH_MODE}"`)
    .replace('data-reranker="none"', `data-reranker="${RERANKER}"`)
    .replace('data-docs="true"', `data-docs="${DOCS}"`)
    .replace(
      'data-provider=""',
      () => `data-provider="${OIDC_CLIENT_ID === undefined ? '' : escapeAttribute(OIDC_NAME)}"`,
    );
  fastify.get('/', { config: OPEN }, async (_request, reply: FastifyReply) => {
    await reply
      .headers(HEADERS)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(page);
  });
  // File names contain a hash of the contents, so browsers may cache the files forever.
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

function escapeAttribute(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
