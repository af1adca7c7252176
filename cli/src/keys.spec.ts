import { UsageError } from './command.js';
import { parseKeyCommand } from './keys.js';

const parse = (line: string) => parseKeyCommand(line.split(' ').filter((word) => word !== ''));

describe('the keys command', () => {
  it('creates keys', () => {
    expect(parse('create --name search --scopes read,query --app acme --expires 30d')).toEqual({
      action: 'create',
      appId: 'acme',
      name: 'search',
      permissions: ['read', 'query'],
      endUserId: null,
      networks: null,
      lifetimeSeconds: 30 * 86_400,
    });
    expect(parse('create --name Ann --scopes read --end-user ann')).toMatchObject({ endUserId: 'ann' });
    expect(parse('create --name search --scopes admin')).toMatchObject({
      appId: 'default',
      lifetimeSeconds: undefined,
    });
  });

  it.each([
    ['2h', 7_200],
    ['90m', 5_400],
  ])('parses a lifetime of %s', (text, seconds) => {
    expect(parse(`create --name a --scopes read --expires ${text}`)).toMatchObject({
      lifetimeSeconds: seconds,
    });
  });

  it('lists and revokes them', () => {
    expect(parse('list --app acme')).toEqual({ action: 'list', appId: 'acme' });
    expect(parse('revoke abc')).toEqual({ action: 'revoke', appId: 'default', id: 'abc' });
  });

  it.each([
    '',
    'make',
    'create',
    'create --name a',
    'create --name a --scopes root',
    'create --name a --scopes read,',
    'create --name a --scopes read --expires 0d',
    'create --name a --scopes read --expires 30',
    'create --nmae a',
    'revoke',
    'revoke abc def',
    'list acme',
    'create acme --name a --scopes read',
  ])('rejects "%s"', (line) => {
    expect(() => parse(line)).toThrow(UsageError);
  });
});
