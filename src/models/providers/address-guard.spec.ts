import { fetch } from 'undici';
import { FakeProvider } from '../../../test/support/fake-provider/fake-provider.js';
import { admitBase as admit, BaseRefused, isPublicAddress, type Resolver } from './address-guard.js';
import { pinnedAgent } from './fetch.js';

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '93.184.216.34', '2606:4700::1111', '2a00:1450::1'])('accepts %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ...['127.0.0.1', '127.255.0.1', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
    ...[
      '100.100.100.200',
      '168.63.129.16',
      '0.0.0.0',
      '255.255.255.255',
      '224.0.0.1',
      '240.0.0.1',
      '192.0.0.192',
    ],
    ...[
      '198.18.0.1',
      '192.0.2.1',
      '203.0.113.1',
      '::1',
      '::',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '::127.0.0.1',
    ],
    ...[
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2001:0:53aa::',
      'fe80::1',
      'fec0::1',
      'fd00:ec2::254',
      'ff02::1',
    ],
    ...['2001:db8::1', '4000::1', 'fd12::1', 'not an address', ''],
  ])('rejects %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

const admitBase = (base: string, bases: readonly string[], resolver?: Resolver): ReturnType<typeof admit> =>
  admit(base, { setting: 'ALLOWED', bases }, resolver);

describe('admitBase', () => {
  const resolvesTo =
    (...addresses: readonly string[]): Resolver =>
    () =>
      Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
  const unreachable: Resolver = () => Promise.reject(new Error('must not be resolved'));

  it('rejects every address by default', async () => {
    await expect(admitBase('https://api.example.com/v1', [])).rejects.toThrow(BaseRefused);
  });

  it('admits listed origins without a pinned address, even private ones', async () => {
    const allowed = ['http://10.0.0.5:8000/v1', 'https://api.example.com'];
    await expect(admitBase('http://10.0.0.5:8000/other', allowed, unreachable)).resolves.toBeNull();
    await expect(admitBase('https://api.example.com/v1', allowed, unreachable)).resolves.toBeNull();
  });

  it.each([
    'http://10.0.0.5:8001',
    'https://10.0.0.5:8000',
    'https://api.example.com.evil.example',
    'https://api.example.com:444',
  ])('treats %s as another origin', async (base) => {
    const allowed = ['http://10.0.0.5:8000', 'https://api.example.com'];
    await expect(admitBase(base, allowed, unreachable)).rejects.toThrow(BaseRefused);
  });

  it('pins a public host name to the checked address', async () => {
    const agent = await admitBase('https://api.example.com/v1', ['public'], resolvesTo('93.184.216.34'));
    expect(agent).not.toBeNull();
    await agent?.close();
  });

  it.each([
    ...[
      'http://127.0.0.1',
      'http://127.1',
      'http://0x7f.1',
      'http://2130706433',
      'http://017700000001',
      'http://0177.0.0.1',
    ],
    ...[
      'http://[::1]',
      'http://[::ffff:127.0.0.1]',
      'http://[::ffff:7f00:1]',
      'http://①②⑦.0.0.1',
      'http://0',
      'http://[::]',
    ],
    ...[
      'http://169.254.169.254/latest/meta-data',
      'http://[fd00:ec2::254]/',
      'http://10.0.0.1',
      'http://[64:ff9b::7f00:1]',
    ],
    ...[
      'http://168.63.129.16',
      'http://100.100.100.200',
      'http://192.168.0.1:8080',
      'http://[2002:7f00:1::]',
    ],
  ])('rejects %s under public without resolving a name', async (base) => {
    await expect(admitBase(base, ['public'], unreachable)).rejects.toThrow(
      'does not resolve to a public address',
    );
  });

  it.each([[['127.0.0.1']], [['93.184.216.34', '10.0.0.1']], [['::ffff:10.0.0.1']], [[]]])(
    'rejects a host name that resolves to %j',
    async (addresses) => {
      await expect(admitBase('http://localhost./', ['public'], resolvesTo(...addresses))).rejects.toThrow(
        BaseRefused,
      );
    },
  );

  it.each([
    'ftp://api.example.com',
    'file:///etc/passwd',
    'not a url',
    'https://user:pw@api.example.com',
    'https://api.example.com?x=1',
  ])('refuses %s', async (base) => {
    await expect(admitBase(base, ['public'], unreachable)).rejects.toThrow(BaseRefused);
  });

  it.each([
    ['http://hooks.example.com/in?a=b', 'must begin with https://'],
    ['https://user:pw@hooks.example.com', 'must not have credentials or a fragment'],
    ['https://hooks.example.com#x', 'must not have credentials or a fragment'],
    ['https://hooks.example.com/in?a=b', 'does not resolve to a public address'],
  ])('refuses %s as a whole URL that needs TLS', async (base, reason) => {
    const rules = { setting: 'ALLOWED', bases: ['public'], isUrl: true, needsTls: true };
    await expect(admit(base, rules, resolvesTo('127.0.0.1'))).rejects.toThrow(reason);
  });

  it('admits a whole URL without TLS if its origin is listed', async () => {
    const rules = { setting: 'ALLOWED', bases: ['http://10.0.0.5:8000'], isUrl: true, needsTls: true };
    await expect(admit('http://10.0.0.5:8000/in?a=b', rules, unreachable)).resolves.toBeNull();
  });

  it('names the setting and the origin that it lacks', async () => {
    await expect(admitBase('https://a.example/in', [])).rejects.toThrow(
      'is not an allowed address: ALLOWED does not list https://a.example',
    );
  });

  it('rejects a host name that cannot be resolved', async () => {
    await expect(admitBase('https://nowhere.example', ['public'], unreachable)).rejects.toThrow(
      'cannot be resolved',
    );
  });
});

describe('a host name that changes its address', () => {
  it('is resolved once, and the connection uses the first answer', async () => {
    const provider = await FakeProvider.start();
    const { port } = new URL(provider.url);
    const answers = ['203.0.114.1', '127.0.0.1', '127.0.0.1'];
    let asked = 0;
    const rebinding: Resolver = () => Promise.resolve([{ address: answers[asked++] ?? '', family: 4 }]);
    const base = `http://rebinding.example:${port}/v1`;
    const agent = await admitBase(base, ['public'], rebinding);
    const call = fetch(`${base}/models`, {
      ...(agent === null ? {} : { dispatcher: agent }),
      signal: AbortSignal.timeout(300),
    });
    await expect(call).rejects.toThrow();
    expect([agent === null, asked, provider.calls]).toEqual([false, 1, []]);
    await expect(admitBase(base, ['public'], rebinding)).rejects.toThrow(BaseRefused);
    await agent?.destroy();
    await provider.close();
  });
});

describe('pinnedAgent', () => {
  it('connects to the checked address, whatever the name resolves to now', async () => {
    const provider = await FakeProvider.start();
    const { port } = new URL(provider.url);
    const agent = pinnedAgent({ address: '127.0.0.1', family: 4 });
    const response = await fetch(`http://name.invalid:${port}/v1/models`, { dispatcher: agent });
    expect(response.status).toBe(200);
    await response.body?.cancel();
    expect(provider.calls[0]?.headers.host).toBe(`name.invalid:${port}`);
    await agent.close();
    await provider.close();
  });
});
