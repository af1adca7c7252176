import { WRONG_KEYS_PER_MINUTE } from '../../../src/auth/wrong-keys.js';
import type { Answer } from '../../support/client.js';
import { Service } from '../../support/service.js';

type Ask = (key: string, address: string) => Promise<Answer>;

describe('wrong keys', () => {
  let service: Service;
  const ask: Ask = (key, address) =>
    service.as(key).get('/keys', { headers: { 'x-forwarded-for': address } });
  const uri: Ask = (key, address) => {
    const body = new URLSearchParams({ password_token: key, name: 'acme' }).toString();
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': address,
    };
    return service.as(null).call('POST', '/local/generate_uri', { body, headers });
  };
  const link: Ask = (token, address) =>
    service.as(null).get(`/files?token=${token}`, { headers: { 'x-forwarded-for': address } });

  /** Sends as many wrong keys as receive this status. */
  async function tryOut(send: Ask, address: string, status: number): Promise<void> {
    for (let tried = 0; tried < WRONG_KEYS_PER_MINUTE; tried += 1) {
      expect((await send('garbage', address)).status).toBe(status);
    }
  }

  describe('behind a trusted proxy', () => {
    beforeAll(async () => {
      service = await Service.start({ TRUST_PROXY: 'loopback' });
    });
    afterAll(() => service.stop());

    it.each([
      ['in the header', ask, 401, '203.0.113.1'],
      ['in the form of a URI', uri, 401, '203.0.113.2'],
      ['in links to files', link, 403, '203.0.113.3'],
    ] as const)('%s are throttled above a limit, valid keys never', async (_where, send, status, address) => {
      await tryOut(send, address, status);
      const refused = await send('garbage', address);
      expect([refused.status, refused.json()]).toEqual([
        429,
        { detail: 'Too many wrong keys from this address' },
      ]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await ask('garbage', address)).status).toBe(429);
      expect((await ask(service.adminKey, address)).status).toBe(200);
      expect((await uri(service.adminKey, address)).status).toBe(200);
      expect((await send('garbage', '203.0.113.9')).status).toBe(status);
    });
  });

  it('are counted per connection address without a trusted proxy', async () => {
    service = await Service.start();
    try {
      await tryOut(ask, '203.0.113.1', 401);
      expect((await ask('garbage', '203.0.113.2')).status).toBe(429);
    } finally {
      await service.stop();
    }
  });
});
