import { lookup as resolve } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Agent } from 'undici';
import { pinnedAgent, type ResolvedAddress } from './fetch.js';

/** Why an address that a request brought is not connected to. */
export class BaseRefused extends Error {}

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

/** Answers configuration and credentials inside Azure, from an address that looks public. */
const AZURE_WIRE_SERVER = '168.63.129.16';

/** All that is assigned to the public internet in IPv6 so far (RFC 4291, section 2.4). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an IP address belongs to the public internet: not loopback, private, link-local (cloud metadata), carrier
 * NAT, multicast, reserved, nor IPv4 in an IPv6 form (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address === AZURE_WIRE_SERVER) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}
