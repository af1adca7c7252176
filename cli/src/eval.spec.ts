import { UsageError } from './command.js';
import { parseEvalCommand } from './eval.js';

const parse = (args: readonly string[], environment: Record<string, string> = {}) =>
  parseEvalCommand(args, environment, new Date('2026-11-22T20:30:05.123Z'));

describe('the eval command', () => {
  it('takes a file of questions and nothing else', () => {
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

  it('reads its flags, and the address and key from the environment without them', () => {
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

  it('takes the file that a draft goes to', () => {
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
  ])('does not understand %j', (args) => {
    expect(() => parse(args)).toThrow(UsageError);
  });
});
