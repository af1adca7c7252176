import { VersionHistory, type Read, type Write } from './version-history.js';

describe('VersionHistory', () => {
  const write = (name: string, more: Partial<Write> & Pick<Write, 'sentAt' | 'answeredAt'>): Write => ({
    kind: 'text',
    strategy: 'replace',
    content: name,
    filename: name,
    metadata: {},
    version: null,
    ...more,
  });
  const entry = (version: number, filename?: string) => ({
    version,
    strategy: filename === undefined ? 'metadata' : 'replace',
    ...(filename !== undefined && { filename }),
  });
  /** "one"; then "two" is added, and "three" takes its place: by a text, and by a file that is read at about 55. */
  const history = (): VersionHistory => {
    const made = new VersionHistory('a', 'one');
    made.writes.push(
      write('two', { strategy: 'add', sentAt: 20, answeredAt: 30, version: 2, metadata: { k: 2 } }),
      write('three', { kind: 'file', sentAt: 40, answeredAt: 50, metadata: { k: 3 } }),
    );
    made.told([entry(2, 'two'), entry(3, 'three')]);
    return made;
  };
  const seen = (made: VersionHistory, read: Partial<Read>, sentAt: number, answeredAt: number): string[] => {
    made.reads.push({ how: 'a read', ...read, sentAt, answeredAt });
    return made.violations();
  };

  it.each([
    ['the version that is there', 'one', 12, 15],
    ['the old one while the new one is written', 'one', 28, 29],
    ['the new one while it is written', 'one\n\ntwo', 21, 22],
    ['what was added to', 'one\n\ntwo', 31, 39],
    ['the old one while a file is being read', 'one\n\ntwo', 51, 52],
    ['nothing while it is deleted', null, 61, 62],
    ['the last one while it is deleted', 'three', 69, 75],
  ])('accepts %s', (_, text, sentAt, answeredAt) => {
    const made = history();
    made.deleted(60, 70);
    expect(seen(made, { text }, sentAt, answeredAt)).toEqual([]);
  });

  it.each([
    ['an old one after the new one was answered', 'one', 31, 32],
    ['a new one before it was sent', 'three', 31, 39],
    ['a mix', 'one\n\nthree', 41, 49],
    ['nothing although it is there', null, 31, 32],
    ['something after the deletion was answered', 'three', 71, 72],
  ])('does not accept %s', (_, text, sentAt, answeredAt) => {
    const made = history();
    made.deleted(60, 70);
    expect(seen(made, { text }, sentAt, answeredAt)).toHaveLength(1);
  });

  it('does not accept a text beside the number of another version', () => {
    expect(seen(history(), { text: 'one\n\ntwo', version: 2 }, 31, 39)).toEqual([]);
    expect(seen(history(), { text: 'one\n\ntwo', version: 1 }, 31, 39)).toHaveLength(1);
  });

  it('does not accept an older version than somebody has seen', () => {
    const made = history();
    expect(seen(made, { text: 'three' }, 55, 56)).toEqual([]);
    expect(seen(made, { text: 'one\n\ntwo' }, 57, 58)).toHaveLength(1);
  });

  it('does not accept that an older write takes the place of one that came after it was confirmed', () => {
    const made = history();
    made.writes.push(write('four', { sentAt: 60, answeredAt: 70, version: 3 }));
    expect(made.violations()).toEqual(['a: text replace four is not where it was confirmed']);
    const late = new VersionHistory('a', 'one');
    late.writes.push(
      write('two', { kind: 'file', sentAt: 10, answeredAt: 20 }),
      write('three', { sentAt: 30, answeredAt: 40, version: 2 }),
    );
    late.told([entry(2, 'three'), entry(3, 'two')]);
    expect(late.violations()).toEqual([
      'a: text replace three stands before file replace two, which was confirmed before it was sent',
    ]);
  });

  it('does not accept a value that is older than one that was confirmed', () => {
    const made = history();
    made.writes.push(
      write('', {
        kind: 'metadata',
        content: null,
        filename: null,
        metadata: { k: 4 },
        sentAt: 51,
        answeredAt: 53,
        version: 3,
      }),
    );
    made.told([entry(2, 'two'), entry(3), entry(4, 'three')]);
    expect(seen(made, { version: 4, metadata: { k: 4 } }, 56, 57)).toEqual([]);
    expect(seen(made, { version: 4, metadata: { k: 3 } }, 58, 59)).toHaveLength(1);
    expect(seen(history(), { version: 2, metadata: {} }, 31, 32)).toHaveLength(1);
  });

  it('does not accept a version that is missing, a write that is lost, or one of a file that nobody can read', () => {
    const made = history();
    made.told([entry(2, 'two'), entry(3, 'three'), entry(5, 'five')]);
    expect(made.violations()).toEqual(['a: versions are missing']);
    const losing = history();
    losing.writes.push(write('lost', { kind: 'file', sentAt: 60, answeredAt: 70 }));
    losing.writes.push(write('refused', { sentAt: 60, answeredAt: null }));
    expect(losing.violations()).toEqual(['a: file replace lost is not where it was confirmed']);
    const broken = new VersionHistory('a', 'one');
    broken.writes.push(write('broken', { kind: 'file', content: null, sentAt: 1, answeredAt: 2 }));
    expect(broken.violations()).toEqual([]);
    broken.told([entry(2, 'broken')]);
    expect(broken.violations()).toHaveLength(1);
  });

  it('knows what the file of a document may hold', () => {
    expect(['one', 'two', 'one\n\ntwo', 'three'].map((text) => history().knows(text))).not.toContain(false);
    expect(history().knows('one\n\nthree')).toBe(false);
  });

  it('knows the texts that a document may have had before it was deleted', () => {
    const made = history();
    made.writes.push(write('four', { kind: 'file', strategy: 'add', sentAt: 56, answeredAt: 58 }));
    made.deleted(60, 70);
    expect(seen(made, { text: 'three\n\nfour' }, 59, 61)).toEqual([]);
    expect(seen(made, { text: 'four' }, 59, 61)).toHaveLength(1);
  });
});
