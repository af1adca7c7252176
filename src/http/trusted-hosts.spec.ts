import { settingsWith } from '../../test/support/settings.js';
import { TrustedHosts } from './trusted-hosts.js';

const hosts = (environment: Record<string, string> = {}): TrustedHosts =>
  new TrustedHosts(settingsWith({ AUTH_MODE: 'none', ...environment }));

describe('trusted hosts', () => {
  it.each([
    'localhost',
    'localhost:8000',
    'LOCALHOST.:8000',
    'lectern.localhost:8000',
    '127.0.0.1:8000',
    '127.1.2.3',
    '[::1]:8000',
    '[::ffff:127.0.0.1]:8000',
  ])('are names of this machine: %s', (host) => {
    expect(() => {
      hosts().require({ host });
      hosts().require({ host: 'localhost', origin: `http://${host}` });
    }).not.toThrow();
  });

  it.each([
    undefined,
    '',
    'evil.example',
    'evil.example:8000',
    'localhost.evil.example',
    'notlocalhost',
    '192.168.1.5:8000',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    '[fe80::1]',
    '0.0.0.0',
  ])('are not other names: %s', (host) => {
    expect(() => {
      hosts().require({ host });
    }).toThrow('answers only to names of this machine and to ALLOWED_HOSTS');
  });

  it.each([
    'null',
    'https://evil.example',
    'http://192.168.1.5',
    'http://localhost.evil.example',
    'localhost',
    '',
  ])('send no request from %s', (origin) => {
    expect(() => {
      hosts().require({ host: 'localhost', origin });
    }).toThrow('accepts no request from a page of');
  });

  it('are those that settings name', () => {
    const trusted = hosts({
      ALLOWED_HOSTS: 'nas.lan, 192.168.1.5',
      PUBLIC_URL: 'https://lectern.example/api',
      CORS_ORIGINS: 'https://site.example',
      HOST: '10.0.0.7',
      ALLOW_INSECURE: 'true',
    });
    for (const host of ['nas.lan:8000', '192.168.1.5', 'lectern.example', 'site.example', '10.0.0.7:8000']) {
      expect([host, trusted.has(host.replace(/:\d+$/, ''))]).toEqual([host, true]);
    }
    expect(trusted.has('other.lan')).toBe(false);
  });
});
