import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent } from 'undici';
import { ConnectionRefused, NO_TIMEOUTS, providerFetch } from './fetch.js';

/**
 * Address ranges in which model servers run: the internet, this machine, private networks, and overlay networks such as
 * Tailscale.
 */
const ALLOWED_RANGES = ['unicast', 'loopback', 'private', 'uniqueLocal', 'carrierGradeNat'];

/** Addresses within {@link ALLOWED_RANGES} at which clouds (Azure, Alibaba, Oracle, AWS) serve credentials. */
const METADATA_SERVERS = ['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'].map((address) =>
  ipaddr.parse(address).toString(),
);

const REFUSED = 'points to an address that no model server has (link-local, cloud metadata or reserved)';

/**
 * Returns why an operator may not use this address for a model, or null if the operator may. Private addresses are
 * allowed, because model servers run in private networks. Addresses at which clouds serve credentials are not allowed.
 * Host names are checked when a connection is made, see {@link operatorFetch}.
 */
export function refusedAddress(base: string): string | null {
  if (!URL.canParse(base)) return 'is not a URL';
  const { protocol, username, password, hash, hostname } = new URL(base);
  if (protocol !== 'http:' && protocol !== 'https:') return 'is not an http or https URL';
  if (username !== '' || password !== '' || hash !== '') return 'must not have credentials or a fragment';
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) > 0 && !isModelAddress(literal) ? REFUSED : null;
}

/** Tells whether a model server may have this IP address. */
export function isModelAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ALLOWED_RANGES.includes(parsed.range()) && !METADATA_SERVERS.includes(parsed.toString());
}

/**
 * Resolves a host name as Node does. Fails if one of the addresses is not allowed, because the connection may use any
 * of the addresses.
 */
const guardedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, options, (error, address, family) => {
    if (error === null) {
      const found = typeof address === 'string' ? [address] : address.map((one) => one.address);
      if (!found.every(isModelAddress)) {
        callback(new ConnectionRefused(`The name in the address of the model ${REFUSED}`), '', 0);
        return;
      }
    }
    callback(error, address, family);
  });
};

/**
 * Fetch for addresses that operators set at runtime. Checks the IP address when it connects, so that a later change in
 * DNS cannot evade the check.
 */
export const operatorFetch = providerFetch(new Agent({ ...NO_TIMEOUTS, connect: { lookup: guardedLookup } }));
