import { UsageError } from './command.js';
import { parseIngestCommand } from './ingest.js';

const parse = (args: readonly string[], environment: Record<string, string> = {}) =>
  parseIngestCommand(args, environment);

describe('the ingest command', () => {
  it('accepts one folder', () => {
    expect(parse(['docs'])).toEqual({
      path: 'docs',
      url: undefined,
      key: undefined,
      folder: undefined,
      flat: false,
      name: undefined,
      metadata: {},
      endUser: undefined,
      concurrency: 8,
      dryRun: false,
      prune: 'no',
    });
  });

  it('parses its flags, and reads address and key from the environment by default', () => {
    const environment = { LECTERN_URL: 'http://other', LECTERN_API_KEY: 'other' };
    const flags = ['--url', 'https://lectern.example/api//', '--key', 'k', '--metadata', '{"a":1}'];
    expect(parse(['docs', ...flags, '--concurrency', '64', '--dry-run'], environment)).toMatchObject({
      url: 'https://lectern.example/api',
      key: 'k',
      metadata: { a: 1 },
      concurrency: 64,
      dryRun: true,
    });
    expect(parse(['docs', '--prune'])).toMatchObject({ prune: 'list' });
    expect(parse(['docs', '--prune', '--yes'])).toMatchObject({ prune: 'delete' });
    expect(parse(['docs', '--folder', '/a', '--flat'])).toMatchObject({ folder: '/a', flat: true });
    expect(parse(['docs'], environment)).toMatchObject({ url: 'http://other', key: 'other' });
  });

  it.each([
    [[]],
    [['a', 'b']],
    [['docs', '--flat']],
    [['docs', '--url', 'ftp://host']],
    [['docs', '--url', 'localhost:8000']],
    [['docs', '--metadata', '{']],
    [['docs', '--metadata', '[]']],
    [['docs', '--metadata', 'null']],
    [['docs', '--concurrency', '0']],
    [['docs', '--concurrency', '65']],
    [['docs', '--concurrency', 'many']],
    [['docs', '--yes']],
    [['docs', '--unknown']],
  ])('rejects %j', (args) => {
    expect(() => parse(args)).toThrow(UsageError);
  });
});
