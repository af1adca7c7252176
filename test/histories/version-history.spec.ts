import { VersionHistory } from './version-history.js';

describe('VersionHistory', () => {
  const history = (): VersionHistory => {
    const one = new VersionHistory('a', 'one', 0, 10);
    one.wrote({ version: 2, strategy: 'add', content: 'two', sentAt: 20, answeredAt: 30 });
    one.wrote({ version: 3, strategy: 'replace', content: 'three', sentAt: 40, answeredAt: 50 });
    return one;
  };
  const seen = (
    text: string | null,
    sentAt: number,
    answeredAt: number,
    version: number | null = null,
  ): string[] => {
    const one = history();
    one.deleted(60, 70);
    one.reads.push({ how: 'a read', text, version, sentAt, answeredAt });
    return one.violations();
  };

  it.each([
    ['the version that is there', 'one', 12, 15],
    ['the old one while the new one is written', 'one', 28, 29],
    ['the new one while it is written', 'one\n\ntwo', 21, 22],
    ['what was added to', 'one\n\ntwo', 31, 39],
    ['nothing before it is completed', null, 5, 6],
    ['nothing while it is deleted', null, 61, 62],
    ['the last one while it is deleted', 'three', 69, 75],
  ])('accepts %s', (_, text, sentAt, answeredAt) => {
    expect(seen(text, sentAt, answeredAt)).toEqual([]);
  });

  it.each([
    ['an old one after the new one was answered', 'one', 31, 32],
    ['a new one before it was sent', 'three', 31, 39],
    ['a mix', 'one\n\nthree', 41, 49],
    ['nothing although it is there', null, 31, 32],
    ['something after the deletion was answered', 'three', 71, 72],
  ])('does not accept %s', (_, text, sentAt, answeredAt) => {
    expect(seen(text, sentAt, answeredAt)).toHaveLength(1);
  });

  it('does not accept a text beside the number of another version', () => {
    expect(seen('one\n\ntwo', 31, 39, 2)).toEqual([]);
    expect(seen('one\n\ntwo', 31, 39, 1)).toHaveLength(1);
  });

  it('does not accept a version that is missing', () => {
    const one = history();
    one.wrote({ version: 5, strategy: 'add', content: 'five', sentAt: 52, answeredAt: 54 });
    expect(one.violations()).toEqual(['a: versions 1 2 3 5']);
  });
});
