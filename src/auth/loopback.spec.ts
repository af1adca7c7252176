import type { FastifyRequest } from 'fastify';
import { isFromThisMachine } from './auth.guard.js';

const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}): boolean =>
  isFromThisMachine({ socket: { remoteAddress }, headers } as unknown as FastifyRequest);

describe('isFromThisMachine', () => {
  it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('accepts %s', (address) => {
    expect(from(address)).toBe(true);
  });

  it.each(['10.0.0.1', '192.168.1.2', '8.8.8.8', '::ffff:10.0.0.1', 'fe80::1', '0.0.0.0', undefined])(
    'rejects %s',
    (address) => {
      expect(from(address)).toBe(false);
    },
  );

  it.each(['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])(
    'rejects a request that a local proxy forwards with %s',
    (name) => {
      expect(from('127.0.0.1', { [name]: '127.0.0.1' })).toBe(false);
    },
  );

  it('ignores forwarding headers of a remote address', () => {
    expect(from('10.0.0.1', { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '::1' })).toBe(false);
  });
});
