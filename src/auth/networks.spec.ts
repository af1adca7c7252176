import { Invalid } from '../errors/index.js';
import { isWithin, networkText } from './networks.js';

describe('networks of a key', () => {
  it.each([
    [null, '203.0.113.7', true],
    [['10.0.0.0/8'], '10.255.0.1', true],
    [['10.0.0.0/8'], '11.0.0.1', false],
    [['192.0.2.7'], '192.0.2.7', true],
    [['192.0.2.7'], '192.0.2.8', false],
    [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
    [['::ffff:10.1.2.3'], '10.1.2.3', true],
    [['2001:db8::/32'], '2001:db8:1::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['0.0.0.0/0'], '::1', false],
    [['10.0.0.0/8', '::1'], '::1', true],
    [['10.0.0.0/8'], 'unknown', false],
  ])('%j contain %s: %s', (networks, address, expected) => {
    expect(isWithin(networks, address)).toBe(expected);
  });

  it.each([
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0/8',
    'example.org',
    '',
    '::1/129',
    'fe80::1%eth0',
    '10.0.0.0/8/8',
  ])('refuse %j', (text) => {
    expect(() => networkText(text, ['body', 'networks', 0])).toThrow(Invalid);
  });

  it('accept addresses and ranges without white space around them', () => {
    expect(networkText(' 10.0.0.0/8 ', ['body'])).toBe('10.0.0.0/8');
    expect(networkText('2001:db8::1', ['body'])).toBe('2001:db8::1');
  });
});
