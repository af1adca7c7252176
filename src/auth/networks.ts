import { BlockList, isIP } from 'node:net';
import { Invalid, type Location } from '../errors/index.js';

const LONGEST_PREFIX = { ipv4: 32, ipv6: 128 } as const;

/** An IPv4-mapped IPv6 address. A server that listens on both protocols reports IPv4 clients in this form. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

interface Network {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/**
 * Tells whether an address is in one of the networks.
 * @param networks addresses and CIDR ranges; null contains every address
 */
export function isWithin(networks: readonly string[] | null, address: string): boolean {
  if (networks === null) return true;
  const client = networkOf(address);
  if (client === undefined) return false;
  const list = new BlockList();
  for (const text of networks) {
    const network = networkOf(text);
    if (network !== undefined) list.addSubnet(network.address, network.prefix, network.family);
  }
  return list.check(client.address, client.family);
}

/** Validates an address or a CIDR range of a request. @throws Invalid */
export function networkText(value: unknown, loc: Location): string {
  const text = (value as string).trim();
  if (isNetwork(text)) return text;
  throw Invalid.at(loc, 'Value error, must be an IP address or a range such as 10.0.0.0/8');
}

export function isNetwork(text: string): boolean {
  return networkOf(text) !== undefined;
}

/** Parses an address or a CIDR range. @returns undefined if the text is neither */
function networkOf(text: string): Network | undefined {
  const [given = '', length, ...more] = text.split('/');
  const mapped = length === undefined ? MAPPED.exec(given)?.[1] : undefined;
  const address = mapped ?? given;
  const family = ({ 4: 'ipv4', 6: 'ipv6' } as const)[isIP(address)];
  if (family === undefined || address.includes('%') || more.length > 0) return undefined;
  const longest = LONGEST_PREFIX[family];
  if (length === undefined) return { address, prefix: longest, family };
  if (!/^\d{1,3}$/.test(length) || Number(length) > longest) return undefined;
  return { address, prefix: Number(length), family };
}
