import { UsageError } from './command.js';
import { parseEvalCommand } from './eval.js';

const parse = (args: readonly string[], environment: Record<string, string> = {}) =>
  parseEvalCommand(args, environment, new Date('2026-11-22T20:30:05.123Z'));

describe('the eval command', () => {
  it('accepts one file of questions', () => {
    expect(parse(['q.jsonl'])).toEqual({
      path: 'q.jsonl',
      out: 'eval-20261122T203005.json',
      against: undefined,
      answers: 'expected',
      k: 100,
      concurrency: 1,
      url: undefined,
      key: undefined,
    });
  });

  it('parses its flags, and reads address and key from the environment by default', () => {
    const flags = [
      '--out',
      'o.json',
      '--against',
      'e.json',
      '--answers',
      'all',
      '--k',
      '10',
      '--url',
      'http://h/',
    ];
    expect(parse(['q.jsonl', ...flags], { LECTERN_URL: 'http://other', LECTERN_API_KEY: 'k' })).toMatchObject(
      {
        out: 'o.json',
        against: 'e.json',
        answers: 'all',
        k: 10,
        url: 'http://h',
        key: 'k',
      },
    );
  });

  it('accepts the output file of a draft', () => {
    expect(parse(['--draft', 'q.jsonl', '--count', '5'])).toEqual({
      draft: 'q.jsonl',
      count: 5,
      url: undefined,
      key: undefined,
    });
    expect(parse(['--draft', 'q.jsonl'])).toMatchObject({ count: 30 });
  });

  it.each([
    [['--draft', 'q', 'other']],
    [['--draft', 'q', '--count', '0']],
    [['--draft', 'q', '--out', 'o.json']],
    [['--draft', 'q', '--against', 'e.json']],
    [['q', '--count', '5']],
    [[]],
    [['a', 'b']],
    [['q', '--k', '9']],
    [['q', '--k', '1001']],
    [['q', '--concurrency', '0']],
    [['q', '--answers', 'some']],
    [['q', '--url', 'ftp://host']],
    [['q', '--unknown']],
  ])('rejects %j', (args) => {
    expect(() => parse(args)).toThrow(UsageError);
  });
});
