import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** Headers by which proxies say for whom they ask. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * Whether a program on this machine asks for itself. The address of the connection decides, which a caller cannot choose.
 * A proxy on this machine connects from here too; what it says about its client is believed only where it closes a door.
 */
export function isFromThisMachine({ socket, headers }: Pick<FastifyRequest, 'headers' | 'socket'>): boolean {
  const { remoteAddress } = socket;
  if (remoteAddress === undefined || FORWARDED.some((name) => headers[name] !== undefined)) return false;
  return ipaddr.process(remoteAddress).range() === 'loopback';
}
