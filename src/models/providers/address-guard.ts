import { lookup as resolve } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Agent } from 'undici';
import { pinnedAgent, type ResolvedAddress } from './fetch.js';

/** Thrown if a request names an address to which the service does not connect. The message is the reason. */
export class BaseRefused extends Error {}

export type Resolver = (hostname: string) => Promise<readonly ResolvedAddress[]>;

const resolveAll: Resolver = (hostname) => resolve(hostname, { all: true, verbatim: true });

/** Which addresses a setting allows. */
export interface AllowedBases {
  /** Name of the setting. */
  readonly setting: string;
  /** Its value: origins, and possibly the word `public`. */
  readonly bases: readonly string[];
  /** Whether an address is a whole URL, which may have a query string. */
  readonly isUrl?: boolean;
  /** Whether an address that is not listed needs https. */
  readonly needsTls?: boolean;
}

/**
 * Checks whether a request may name `base`. An origin that the operator has listed is allowed without further checks.
 * Any other origin is allowed only if the list contains `public` and the host of the origin is public. Connections then
 * go to the IP address that was checked.
 * @returns an agent that connects to the checked IP address; null if the origin is listed
 * @throws BaseRefused
 */
export async function admitBase(
  base: string,
  { setting, bases, isUrl = false, needsTls = false }: AllowedBases,
  resolver: Resolver = resolveAll,
): Promise<Agent | null> {
  const url = urlOf(base, isUrl);
  if (bases.some((entry) => URL.canParse(entry) && new URL(entry).origin === url.origin)) return null;
  if (!bases.includes('public')) {
    throw new BaseRefused(`is not an allowed address: ${setting} does not list ${url.origin}`);
  }
  if (needsTls && url.protocol !== 'https:') {
    throw new BaseRefused(`must begin with https://, unless ${setting} lists ${url.origin}`);
  }
  return pinnedAgent(await publicAddress(url.hostname, resolver));
}

function urlOf(base: string, mayHaveQuery: boolean): URL {
  if (!URL.canParse(base)) throw new BaseRefused('is not a URL');
  const url = new URL(base);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new BaseRefused('is not an http or https URL');
  if (url.username !== '' || url.password !== '' || url.hash !== '' || (!mayHaveQuery && url.search !== '')) {
    throw new BaseRefused(`must not have credentials${mayHaveQuery ? '' : ', a query'} or a fragment`);
  }
  return url;
}

/** Resolves a host name, only once. All addresses of the host must be public. */
async function publicAddress(hostname: string, resolver: Resolver): Promise<ResolvedAddress> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  const addresses =
    isIP(literal) > 0 ? [{ address: literal, family: isIP(literal) }] : await named(hostname, resolver);
  const [first] = addresses;
  if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
    throw new BaseRefused('does not resolve to a public address');
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

/** The address at which Azure serves configuration and credentials to its machines. It looks like a public address. */
const AZURE_WIRE_SERVER = '168.63.129.16';

/** The range of the public IPv6 internet (RFC 4291, section 2.4). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Tells whether an IP address belongs to the public internet. Loopback, private, link-local (cloud metadata), carrier
 * NAT, multicast and reserved addresses do not. IPv4 addresses in an IPv6 form (mapped, NAT64, 6to4, Teredo) do not
 * either.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address === AZURE_WIRE_SERVER) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}
