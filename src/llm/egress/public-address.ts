import ipaddr from 'ipaddr.js';

/** Answers configuration and credentials inside Azure, from an address that looks public. */
const AZURE_WIRE_SERVER = '168.63.129.16';

/** All that is assigned to the public internet in IPv6 so far (RFC 4291, section 2.4). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an IP address belongs to the public internet: not loopback, private, link-local (cloud metadata), carrier
 * NAT, multicast, reserved, nor IPv4 in IPv6 clothes (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address === AZURE_WIRE_SERVER) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}
