import { joinToolCalls } from './language-model.js';
import { ToolCallReader } from './tool-calls.js';
import type { WireCall } from './wire.js';

function read(...chunks: readonly WireCall[][]) {
  const reader = new ToolCallReader();
  return joinToolCalls([...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()]);
}

describe('the tool calls of a provider', () => {
  it('keep their ids, and their arguments in pieces are joined', () => {
    expect(
      read(
        [{ index: 0, id: 'c1', name: 'clock', arguments: '' }],
        [{ index: 0, arguments: '{"zone":' }],
        [{ index: 0, arguments: '"x"}' }],
      ),
    ).toEqual([{ id: 'c1', name: 'clock', arguments: '{"zone":"x"}' }]);
  });

  it('get an id if they have none, each its own', () => {
    const calls = read([
      { name: 'clock', arguments: '{}' },
      { name: 'clock', arguments: '{}' },
    ]);
    expect(calls.map(({ id }) => id)).toEqual([
      expect.stringMatching(/^call_\w{32}$/),
      expect.stringMatching(/^call_\w{32}$/),
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  it.each<[string, WireCall[][]]>([
    ['without an index', [[{ name: 'a', arguments: '{}' }], [{ name: 'b', arguments: '{}' }]]],
    [
      'with the same index',
      [[{ index: 0, id: 'c1', name: 'a', arguments: '{}' }], [{ index: 0, id: 'c2', name: 'b', arguments: '{}' }]],
    ],
    [
      'in turns',
      [
        [{ index: 0, name: 'a', arguments: '{' }],
        [{ index: 1, name: 'b', arguments: '{' }],
        [{ index: 0, arguments: '}' }],
        [{ index: 1, arguments: '}' }],
      ],
    ],
    ['with a late name', [[{ index: 0, id: 'c1', arguments: '' }], [{ index: 0, name: 'a', arguments: '{}' }, { index: 1, name: 'b', arguments: '{}' }]]],
  ])('are told apart %s', (_name, chunks) => {
    expect(read(...chunks).map(({ name, arguments: given }) => [name, given])).toEqual([
      ['a', '{}'],
      ['b', '{}'],
    ]);
  });

  it.each([
    ['', '{}'],
    [' {"a": 1}', ' {"a": 1}'],
    ['{"a": "C:\\proj",}', '{"a":"C:\\\\proj"}'],
    ["{'a': 'it's'}", '{"a":"it\'s"}'],
    ['```json\n{"a": 1}\n```', '{"a": 1}'],
    ['{"a": "cut', '{"a": "cut'],
    ['no JSON', 'no JSON'],
  ])('have the arguments %p as %p', (given, expected) => {
    expect(read([{ name: 'a', arguments: given }])[0]?.arguments).toBe(expected);
  });
});
