import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Settings } from '../config/settings.js';
import { Forbidden } from '../errors/index.js';
import { rulesOf } from './routes.js';

/** Names that every machine resolves to itself. */
const LOOPBACK_NAME = /^(?:.+\.)?localhost$/;

/** Methods that change nothing. A page of another site may send them without a CORS preflight. */
const READING = new Set(['GET', 'HEAD']);

/**
 * Decides which hosts a request may name if the service asks for no key: loopback names, the hosts of PUBLIC_URL and
 * CORS_ORIGINS, the address in HOST, and ALLOWED_HOSTS.
 */
export class TrustedHosts {
  private readonly named: ReadonlySet<string>;

  constructor({ PUBLIC_URL, CORS_ORIGINS, HOST, ALLOWED_HOSTS }: HostSettings) {
    const urls = [...(PUBLIC_URL === undefined ? [] : [PUBLIC_URL]), ...CORS_ORIGINS];
    const isAny = HOST === '0.0.0.0' || HOST === '::';
    const hosts = [
      ...urls.flatMap((url) => hostOfUrl(url) ?? []),
      ...(isAny ? [] : [HOST]),
      ...ALLOWED_HOSTS,
    ];
    this.named = new Set(hosts.map(plain));
  }

  /** @param host host name or address, without a port */
  has(host: string): boolean {
    const name = plain(host);
    return this.named.has(name) || LOOPBACK_NAME.test(name) || isLoopback(name);
  }

  /**
   * Checks the headers in which a browser names the site that it addresses and the page that sends the request.
   * @throws Forbidden for a name that another site may have pointed at this machine (DNS rebinding), and for a page of
   *   another site (cross-site request forgery).
   */
  require({
    host,
    origin,
  }: {
    readonly host?: string | undefined;
    readonly origin?: string | undefined;
  }): void {
    const named = hostOfUrl(`http://${host ?? ''}`);
    if (named === undefined || !this.has(named)) {
      throw new Forbidden(
        `The service asks for no key, so it answers only to names of this machine and to ALLOWED_HOSTS, not to "${shown(host)}"`,
      );
    }
    if (origin === undefined) return;
    const sender = hostOfUrl(origin);
    if (sender !== undefined && this.has(sender)) return;
    throw new Forbidden(
      `The service asks for no key, so it accepts no request from a page of "${shown(origin)}": add its host to ALLOWED_HOSTS`,
    );
  }
}

type HostSettings = Pick<Settings, 'PUBLIC_URL' | 'CORS_ORIGINS' | 'HOST' | 'ALLOWED_HOSTS'>;

/**
 * With AUTH_MODE=none, refuses requests under a foreign name, and requests of foreign pages, before anything else.
 * Routes that never need a key may be read under every name: probes, the playground and the documentation.
 */
export function refuseForeignHosts(fastify: FastifyInstance, settings: HostSettings): void {
  const trusted = new TrustedHosts(settings);
  fastify.addHook('onRequest', (request, _reply, done) => {
    try {
      if (!isOpen(request)) trusted.require(request.headers);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

function isOpen(request: FastifyRequest): boolean {
  const rules = rulesOf(request);
  return READING.has(request.method) && (rules === undefined || rules.access === 'open');
}

/** @returns undefined for a text that names no host, such as the origin `null` */
function hostOfUrl(url: string): string | undefined {
  const hostname = URL.canParse(url) ? new URL(url).hostname : '';
  return hostname === '' ? undefined : hostname;
}

/** A host in lower case, without the brackets of an IPv6 address and without the dot of a full name. */
function plain(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/^\[|\]$|\.$/g, '');
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

function shown(header: string | undefined): string {
  return (header ?? '').slice(0, 100);
}
