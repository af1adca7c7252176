import type { IncomingHttpHeaders } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../../config/settings.js';
import { idOf, listOf, nameOr, subjectOf, UnusableClaims } from './identity.js';
import type { Identity } from './identity.types.js';
import { DEFAULT_TENANT } from '../scope.js';

/** What the headers of a proxy say of the person who sends a request, or why they are refused. */
export type ProxyIdentity = { readonly identity: Identity } | { readonly refusal: string };

declare module 'fastify' {
  interface FastifyRequest {
    /** The person whom a proxy signed in; null without the header. */
    proxyIdentity: ProxyIdentity | null;
  }
}

/**
 * Reads the headers in which a proxy names the person who is signed in there, and removes them from the request. Only
 * the address of the connection decides whether they are believed: a client cannot forge it.
 */
export function readProxyIdentities(fastify: FastifyInstance, settings: Settings): void {
  fastify.decorateRequest('proxyIdentity', null);
  if (settings.PROXY_PERSON_HEADER === undefined || settings.AUTH_MODE === 'none') return;
  const { PROXY_PERSON_HEADER, PROXY_NAME_HEADER, PROXY_GROUPS_HEADER } = settings;
  const names = [PROXY_PERSON_HEADER, PROXY_NAME_HEADER, PROXY_GROUPS_HEADER].map((name) =>
    name?.toLowerCase(),
  );
  const isTrusted = proxyAddr.compile([...settings.TRUST_PROXY]);
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers, socket } = request;
    const [person, name, groups] = names.map((header) => valueOf(headers, header));
    if (person !== undefined || name !== undefined || groups !== undefined) {
      request.proxyIdentity = isTrusted(socket.remoteAddress ?? '', 0)
        ? proxyIdentityOf({ person, name, groups }, settings)
        : { refusal: 'A header that names a person came from an address outside TRUST_PROXY' };
    }
    for (const header of names) if (header !== undefined) Reflect.deleteProperty(headers, header);
    done();
  });
}

interface Named {
  readonly person: string | undefined;
  readonly name: string | undefined;
  readonly groups: string | undefined;
}

/** Reads the values of the headers. */
export function proxyIdentityOf({ person, name, groups }: Named, settings: Settings): ProxyIdentity | null {
  if (person === undefined || person === '') return null; // the proxy lets people through who are not signed in
  try {
    const id = idOf(person, settings.PROXY_PERSON_HEADER ?? '');
    const listed = listOf(
      (groups ?? '')
        .split(',')
        .map((group) => group.trim())
        .filter((group) => group !== ''),
      settings.PROXY_GROUPS_HEADER ?? '',
    );
    return {
      identity: {
        appId: DEFAULT_TENANT,
        subject: subjectOf('proxy', id),
        person: id,
        name: nameOr(name, id),
        detail: null,
        groups: listed,
        isAdmin: listed.some((group) => settings.SIGN_IN_ADMINS.includes(group)),
      },
    };
  } catch (error) {
    if (error instanceof UnusableClaims)
      return { refusal: `The proxy names no usable person: ${error.message}` };
    throw error;
  }
}

/** Returns a header as UTF-8; Node reads headers as Latin-1. Several headers of one name count as one list. */
function valueOf(headers: IncomingHttpHeaders, name: string | undefined): string | undefined {
  const given = name === undefined ? undefined : headers[name];
  if (given === undefined) return undefined;
  const bytes = Buffer.from([given].flat().join(','), 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}
