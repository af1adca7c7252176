import type { ChatVersion } from '../api/lectern.js';
import { versionsAt } from './versions-at.js';

const version = (index: number, text: string): ChatVersion => ({
  message_index: index,
  messages: [{ role: 'user', content: text, timestamp: '2026-01-01T00:00:00.000Z' }],
});
const textsAt = (versions: ChatVersion[], index: number): string[] =>
  versionsAt(versions, index).map(({ messages: [first] }) => first?.content ?? '');

describe('the versions of a question', () => {
  const second = [version(2, 'a'), version(2, 'b')];

  it('are those that were replaced at its place', () => {
    expect(textsAt(second, 2)).toEqual(['a', 'b']);
    expect(textsAt(second, 0)).toEqual([]);
    expect(textsAt([...second, version(4, 'c')], 2)).toEqual(['a', 'b']);
  });

  it('are none after an earlier question was replaced', () => {
    const replaced = [...second, version(0, 'first')];
    expect(textsAt(replaced, 2)).toEqual([]);
    expect(textsAt(replaced, 0)).toEqual(['first']);
    expect(textsAt([...replaced, version(2, 'c')], 2)).toEqual(['c']);
  });
});
