import { VersionHistory, type Read, type Write } from './version-history.js';

describe('VersionHistory', () => {
  const write = (name: string, more: Partial<Write> & Pick<Write, 'sentAt' | 'answeredAt'>): Write => ({
    kind: 'text',
    strategy: 'replace',
    content: name,
    filename: name,
    metadata: {},
    status: 200,
    version: null,
    ...more,
  });
  const entry = (version: number, filename?: string) => ({
    version,
    strategy: filename === undefined ? 'metadata' : 'replace',
    ...(filename !== undefined && { filename }),
  });
  /** "one"; "two" is appended; "three" replaces both, by text or by a file parsed at about 55. */
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

  it('does not accept a text with the number of another version', () => {
    expect(seen(history(), { text: 'one\n\ntwo', version: 2 }, 31, 39)).toEqual([]);
    expect(seen(history(), { text: 'one\n\ntwo', version: 1 }, 31, 39)).toHaveLength(1);
  });

  it('does not accept an older version than an earlier read saw', () => {
    const made = history();
    expect(seen(made, { text: 'three' }, 55, 56)).toEqual([]);
    expect(seen(made, { text: 'one\n\ntwo' }, 57, 58)).toHaveLength(1);
  });

  it('does not accept that an older write replaces one sent after its confirmation', () => {
    const made = history();
    made.writes.push(write('four', { sentAt: 60, answeredAt: 70, version: 3 }));
    expect(made.violations()).toEqual(['a: text replace four is not where its answer says']);
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

  it('does not accept a value that is older than a confirmed one', () => {
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

  it('does not accept a missing version, a lost write, or a version of an unreadable file', () => {
    const made = history();
    made.told([entry(2, 'two'), entry(3, 'three'), entry(5, 'five')]);
    expect(made.violations()).toEqual(['a: versions are missing']);
    const losing = history();
    losing.writes.push(write('lost', { kind: 'file', sentAt: 60, answeredAt: 70 }));
    losing.writes.push(write('unheard', { sentAt: 60, answeredAt: 70, status: null }));
    expect(losing.violations()).toEqual(['a: file replace lost is not where its answer says']);
    const broken = new VersionHistory('a', 'one');
    broken.writes.push(write('broken', { kind: 'file', content: null, sentAt: 1, answeredAt: 2 }));
    expect(broken.violations()).toEqual([]);
    broken.told([entry(2, 'broken')]);
    expect(broken.violations()).toHaveLength(1);
  });

  it.each([404, 409])('does not accept the effect of a write that was rejected with %d', (status) => {
    const made = history();
    made.writes.push(write('four', { sentAt: 60, answeredAt: 70, status }));
    expect(made.violations()).toEqual([]);
    made.told([entry(2, 'two'), entry(3, 'three'), entry(4, 'four')]);
    expect(made.violations()).toEqual(['a: text replace four is not where its answer says']);
  });

  it.each([
    ['one', 0],
    ['two', 0],
    ['one\n\ntwo', 0],
    ['three', 0],
    ['one\n\nthree', 1],
  ])('knows whether a file may hold %j', (content, violations) => {
    const made = history();
    made.files.push({ content, answeredAt: 60 });
    expect(made.violations()).toHaveLength(violations);
  });

  describe('of a document that was deleted before any client read its last versions', () => {
    /** Files that no client saw parsed, a text without a response, and writes after the deletion. */
    const deleted = (): VersionHistory => {
      const made = history();
      made.writes.push(
        write('four', { kind: 'file', strategy: 'add', sentAt: 52, answeredAt: 54 }),
        write('five', { kind: 'file', sentAt: 53, answeredAt: 55 }),
        write('six', { kind: 'file', strategy: 'add', sentAt: 56, answeredAt: 58 }),
        write('seven', { strategy: 'add', sentAt: 57, answeredAt: 59, status: null }),
      );
      for (let late = 0; late < 9; late += 1) {
        made.writes.push(write(`late ${late}`, { sentAt: 61, answeredAt: 71, status: 404 }));
      }
      made.deleted(60, 70);
      return made;
    };

    it.each([
      'three\n\nfour',
      'five',
      'five\n\nfour',
      'five\n\nsix',
      'three\n\nfour\n\nsix\n\nseven',
      'three\n\nfour\n\nseven\n\nsix',
    ])('accepts %j', (text) => {
      expect(seen(deleted(), { text }, 59, 61)).toEqual([]);
      const made = deleted();
      made.files.push({ content: text, answeredAt: 61 });
      expect(made.violations()).toEqual([]);
    });

    it.each([
      ['an addition without what it is added to', 'four', 61],
      ['an addition twice', 'three\n\nfour\n\nfour', 61],
      ['what is older than the last version that was told', 'one\n\ntwo\n\nfour', 61],
      ['what was replaced', 'three\n\nfive', 61],
      ['what was confirmed in another order', 'three\n\nsix\n\nfour', 61],
      ['a text before a file that was confirmed when it was sent', 'three\n\nseven\n\nfour', 61],
      ['what was refused', 'late 1', 65],
      ['what was not sent yet', 'five\n\nsix', 55],
    ])('does not accept %s', (_, text, answeredAt) => {
      expect(seen(deleted(), { text }, 54, answeredAt)).toHaveLength(1);
    });

    it('does not accept an unconfirmed text under a confirmed number', () => {
      expect(seen(deleted(), { text: 'five', version: 4 }, 59, 61)).toEqual([]);
      expect(seen(deleted(), { text: 'five', version: 3 }, 59, 61)).toHaveLength(1);
    });
  });

  it('prints all events in the order in which they began', () => {
    const made = history();
    made.writes.push(write('four', { sentAt: 51, answeredAt: 57, status: null }));
    made.reads.push({ how: 'a read', text: 'one\n\ntwo', version: 2, sentAt: 32, answeredAt: 36 });
    made.files.push({ content: 'three', answeredAt: 56 });
    made.deleted(60, 70);
    expect(made.toString().split('\n')).toEqual([
      'a began with one',
      '  20-30 ms: text add two: 200, version 2',
      '  32-36 ms: a read saw 2: one + two',
      '  40-50 ms: file replace three: 200',
      '  51-57 ms: text replace four: unheard',
      '  56-56 ms: a file: three',
      '  60-70 ms: deleted',
      '  version 2: replace two',
      '  version 3: replace three',
    ]);
  });
});
