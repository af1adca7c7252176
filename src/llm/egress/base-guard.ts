import { lookup as resolve } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent } from 'undici';
import { isPublicAddress } from './public-address.js';

/** Why an address that a request brought is not connected to. */
export class BaseRefused extends Error {}

/** An IP address that a name stands for. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export type Resolver = (hostname: string) => Promise<readonly ResolvedAddress[]>;

const resolveAll: Resolver = (hostname) => resolve(hostname, { all: true, verbatim: true });

/**
 * Decides whether a request may name `base`, and how it is reached: an origin that the operator listed as it is, any
 * other only under `public`, over connections pinned to the address that was checked.
 * @param allowed LLM_ALLOWED_BASES: origins, and the word `public`.
 * @returns an agent for the pinned address; null for a listed origin.
 * @throws BaseRefused.
 */
export async function admitBase(
  base: string,
  allowed: readonly string[],
  resolver: Resolver = resolveAll,
): Promise<Agent | null> {
  const url = urlOf(base);
  if (allowed.some((entry) => URL.canParse(entry) && new URL(entry).origin === url.origin)) return null;
  if (!allowed.includes('public'))
    throw new BaseRefused('is not an address that this service may be pointed at');
  return pinnedAgent(await publicAddress(url.hostname, resolver));
}

function urlOf(base: string): URL {
  if (!URL.canParse(base)) throw new BaseRefused('is not a URL');
  const url = new URL(base);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new BaseRefused('is not an http or https URL');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new BaseRefused('must not carry credentials, a query or a fragment');
  }
  return url;
}

/** Resolves a name once. Every address it stands for must be public: which one is taken must not matter. */
async function publicAddress(hostname: string, resolver: Resolver): Promise<ResolvedAddress> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  const addresses =
    isIP(literal) > 0 ? [{ address: literal, family: isIP(literal) }] : await named(hostname, resolver);
  const [first] = addresses;
  if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
    throw new BaseRefused('does not lead to a public address');
  }
  return first;
}

async function named(hostname: string, resolver: Resolver): Promise<readonly ResolvedAddress[]> {
  try {
    return await resolver(hostname);
  } catch {
    throw new BaseRefused('has a host name that cannot be resolved');
  }
}

/** Connects to one address whatever the name says by now, and keeps no connection. */
export function pinnedAgent({ address, family }: ResolvedAddress): Agent {
  return new Agent({
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      lookup: (_hostname, options, callback) => {
        if (options.all) callback(null, [{ address, family }]);
        else callback(null, address, family);
      },
    },
  });
}
