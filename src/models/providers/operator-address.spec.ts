import dns from 'node:dns';
import { startFakeServer } from '../../../test/support/fake-server.js';
import { isModelAddress, operatorFetch } from './operator-address.js';
import { ConnectionRefused } from './fetch.js';

describe('an address of a model that an operator names', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '192.168.1.9',
    '100.64.3.2',
    '8.8.8.8',
    '::1',
    'fd12::9',
    '2606:4700::1',
  ])('may be %s', (address) => {
    expect(isModelAddress(address)).toBe(true);
  });

  it.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    'fe80::1',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
    '0.0.0.0',
    '224.0.0.1',
    'nonsense',
  ])('may not be %s', (address) => {
    expect(isModelAddress(address)).toBe(false);
  });

  it('is checked at the connection, where its name is resolved', async () => {
    const server = await startFakeServer(() => ({ json: { ok: true } }));
    const { port } = new URL(server.url);
    const resolved = jest.spyOn(dns, 'lookup');
    const named = (address: string): Promise<Response> => {
      resolved.mockImplementation(((
        _name: string,
        _options: object,
        callback: (...found: unknown[]) => void,
      ) => {
        callback(null, [{ address, family: 4 }]);
      }) as typeof dns.lookup);
      return operatorFetch(`http://model.example:${port}/`);
    };
    try {
      const refusal: unknown = await named('169.254.169.254').catch((error: unknown) => error);
      expect(ConnectionRefused.in(refusal)?.message).toContain('link-local');
      expect(server.requests).toHaveLength(0);
      expect((await named('127.0.0.1')).status).toBe(200);
    } finally {
      resolved.mockRestore();
      await server.close();
    }
  });
});
