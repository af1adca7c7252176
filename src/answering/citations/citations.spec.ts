import { fc } from '../../../test/support/properties.js';
import { chunkOf } from '../../../test/support/chunks.js';
import { CitationWriter } from './citations.js';

const sources = [
  { number: 1, asImage: false, chunk: chunkOf({ filename: 'manual.pdf', pageNumber: 3, chunkNumber: 7 }) },
  { number: 2, asImage: false, chunk: chunkOf({ filename: 'manual.pdf', pageNumber: 3, chunkNumber: 8 }) },
  { number: 3, asImage: false, chunk: chunkOf({ filename: 'notes.txt', pageNumber: null }) },
  { number: 4, asImage: false, chunk: chunkOf({ filename: null, pageNumber: null, documentId: 'd-4' }) },
];

function written(...deltas: readonly string[]) {
  return writtenFrom(sources, ...deltas);
}

function writtenFrom(passages: typeof sources, ...deltas: readonly string[]) {
  const writer = new CitationWriter(passages);
  const text = deltas.map((delta) => writer.push(delta)).join('') + writer.end();
  return { text, citations: writer.citations };
}

describe('the citation writer', () => {
  it.each([
    ['Two years. [[1]]', 'Two years. [manual.pdf, page 3]'],
    ['Two years [[3]].', 'Two years [notes.txt].'],
    ['No name [[4]].', 'No name [d-4].'],
    ['Both [[1, 3]].', 'Both [manual.pdf, page 3] [notes.txt].'],
    ['Both [[1]][[3]] end', 'Both [manual.pdf, page 3] [notes.txt] end'],
    ['Slipped [1] and 【3】.', 'Slipped [manual.pdf, page 3] and [notes.txt].'],
    ['Dagger 【3†notes】.', 'Dagger [notes.txt].'],
    ['Side [1][3].', 'Side [manual.pdf, page 3] [notes.txt].'],
    ['Spelled out [manual.pdf, page 3].', 'Spelled out [manual.pdf, page 3].'],
    ['Source word [[source 3]].', 'Source word [notes.txt].'],
  ])('turns %p into %p', (given, expected) => {
    expect(written(given).text).toBe(expected);
  });

  it.each([
    ['Two years [[3]].', 'Two years.', [9]],
    ['Both [[1, 3]] end', 'Both end', [4, 4]],
    ['Side [1][3].', 'Side.', [4, 4]],
    ['Twice [[3]] [[3]].', 'Twice.', [5]],
    ['Twice [[3]]. Again [[3]]', 'Twice. Again', [5, 12]],
    ['Unknown [[99]].', 'Unknown.', []],
    ['[[3]] first', ' first', [0]],
  ])('places the citations of %p without labels', (given, text, places) => {
    for (const deltas of [[given], Array.from(given)]) {
      const writer = new CitationWriter(sources, 'positions');
      expect(deltas.map((delta) => writer.push(delta)).join('') + writer.end()).toBe(text);
      expect(writer.citations.map(({ start, end, text: label }) => [start, end, label])).toEqual(
        places.map((place) => [place, place, '']),
      );
    }
  });

  it.each([
    ['Unknown [[99]].', 'Unknown.'],
    ['Unknown [[99]] word', 'Unknown word'],
    ['Unknown [[99]]word', 'Unknown word'],
    ['At the end [[99]]', 'At the end'],
    ['Several [[98]] [[99]].', 'Several.'],
    ['Then known [[99]] [[3]].', 'Then known [notes.txt].'],
    ['Never closed [[1', 'Never closed'],
    ['Never closed [[1, 3]', 'Never closed'],
    ['Invented [ghost.pdf, page 9].', 'Invented.'],
    ['Wrong page [manual.pdf, page 4].', 'Wrong page.'],
  ])('removes the marker of %p', (given, expected) => {
    const { text, citations } = written(given);
    expect(text).toBe(expected);
    expect(citations.every(({ text: label }) => label === '[notes.txt]')).toBe(true);
  });

  it.each([
    'list[0] = map["a"][1]',
    'if [[ -f file ]]; then',
    'See [the manual](http://example.com) and [sic].',
    '[1]: http://example.com',
    '- [ ] open\n- [x] done',
    'trailing blanks  ',
    'an open [ bracket',
    'Letters [[abc]] and nothing [[]] and a decimal [[1.5]].',
    'One bracket [[1] end',
    'Never closed [[1\nNext line',
    'Unknown: [42], [ghost.pdf], [Document 42].',
    '',
  ])('leaves %p unchanged', (given) => {
    expect(written(given)).toEqual({ text: given, citations: [] });
  });

  it('writes one label for neighbouring chunks of one page and places both', () => {
    const { text, citations } = written('Two years [[1]] [[2]] [[2]].');
    expect(text).toBe('Two years [manual.pdf, page 3].');
    expect(citations.map(({ chunk_number: number }) => number)).toEqual([7, 8]);
  });

  it('returns offsets in UTF-16 code units', () => {
    const { text, citations } = written('🚀 两年 [[3]], dann [[1]]');
    expect(citations.map(({ start, end }) => text.slice(start, end))).toEqual([
      '[notes.txt]',
      '[manual.pdf, page 3]',
    ]);
  });

  it('returns the same text and offsets at any chunk boundary', () => {
    const fragment = fc.constantFrom(
      ...['[[1]]', '[[3', ']]', ']', '[', '[[', '【3】', '[1]', ' ', '  ', '\n', '.', 'word', '[[99]]', '🚀'],
      ...['[manual.pdf, page 3]', '[ghost.pdf]', ', page 3', '[[1, 2]]', 'a[0]', '(', ')', '[[ x ]]', '7'],
    );
    const text = fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 120 })), (given, cuts) => {
        const at = [0, ...cuts.filter((cut) => cut < given.length).sort((a, b) => a - b), given.length];
        const deltas = at.slice(1).map((end, index) => given.slice(at[index], end));
        expect(written(...deltas)).toEqual(written(given));
        expect(written(...given.split(''))).toEqual(written(given));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads a long run of blanks in linear time', () => {
    const text = `a${' '.repeat(100_000)}b`;
    const begun = performance.now();
    expect(written(text)).toEqual({ text, citations: [] });
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  it('does not hold back a long bracket indefinitely', () => {
    const writer = new CitationWriter(sources);
    expect(writer.push(`[${'x'.repeat(1_000)}`)).toHaveLength(1_001);
  });
});

const tower = 'The tower stands on the north rock. It has eleven windows. ';
const keeper = 'The keeper is paid nine guineas a month. He is relieved on the first Monday of June.';
const across = 'The lamp burns in every night of the ';
const twoPages = [
  {
    number: 1,
    asImage: false,
    chunk: chunkOf({
      filename: 'light.pdf',
      content: tower + keeper,
      pageNumber: 2,
      overlap: { length: tower.length, pageNumber: 1 },
    }),
  },
  {
    number: 2,
    asImage: false,
    chunk: chunkOf({
      filename: 'light.pdf',
      chunkNumber: 1,
      content: `${across}year. The horn is sounded by the mate.`,
      pageNumber: 3,
      overlap: { length: across.length, pageNumber: 2 },
    }),
  },
];

describe('a citation of a passage on two pages', () => {
  it.each([
    ['It has eleven windows [[1]].', 'It has eleven windows [light.pdf, page 1].'],
    ['Paid nine guineas [[1]].', 'Paid nine guineas [light.pdf, page 2].'],
    ['The mate sounds the horn [[2]].', 'The mate sounds the horn [light.pdf, page 3].'],
    [
      'Windows: eleven [[1]], paid: guineas [[1]].',
      'Windows: eleven [light.pdf, page 1], paid: guineas [light.pdf, page 2].',
    ],
    ['It has eleven windows [[1]]. [[1]]', 'It has eleven windows [light.pdf, page 1]. [light.pdf, page 1]'],
    [
      'It has eleven windows.\n[[1]]\nThe keeper.',
      'It has eleven windows.\n[light.pdf, page 1]\nThe keeper.',
    ],
    ['[[1]] It has eleven windows.', '[light.pdf, page 1] It has eleven windows.'],
    [
      '[[1]] Eleven windows. [[1]] Nine guineas.',
      '[light.pdf, page 1] Eleven windows. [light.pdf, page 2] Nine guineas.',
    ],
    ['[[2]] [[1]] The mate sounds the horn.', '[light.pdf, page 3] [light.pdf] The mate sounds the horn.'],
    [
      '- [[1]] Eleven windows\n- [[1]] Nine guineas',
      '- [light.pdf, page 1] Eleven windows\n- [light.pdf, page 2] Nine guineas',
    ],
    [
      '1. [[1]] Eleven windows\n2. [[1]] Nine guineas',
      '1. [light.pdf, page 1] Eleven windows\n2. [light.pdf, page 2] Nine guineas',
    ],
    ['Spelled out [light.pdf, pages 1-2], eleven windows.', 'Spelled out [light.pdf], eleven windows.'],
    ['Eleven windows [light.pdf, pages 1-2].', 'Eleven windows [light.pdf, page 1].'],
    ['Eleven windows and a keeper [light.pdf, page 2].', 'Eleven windows and a keeper [light.pdf, page 2].'],
    ['The wrong page [light.pdf, page 4].', 'The wrong page.'],
    ['The wrong pages [light.pdf, pages 1-3].', 'The wrong pages.'],
  ])('turns %p into %p', (given, expected) => {
    expect(writtenFrom(twoPages, given).text).toBe(expected);
  });

  it('names the page on which the quote starts if a sentence spans two pages', () => {
    const { citations } = writtenFrom(twoPages, 'Eleven windows [[1]]. The lamp burns every night [[2]].');
    expect(citations.map(({ page_number: page, quote }) => [page, quote])).toEqual([
      [1, 'It has eleven windows.'],
      [2, 'The lamp burns in every night of the year.'],
    ]);
  });

  it('names no page if no sentence shares a word with the statement', () => {
    const { text, citations } = writtenFrom(twoPages, 'Elf Fenster [[1]].');
    expect(text).toBe('Elf Fenster [light.pdf].');
    expect(citations).toMatchObject([{ page_number: null, text: '[light.pdf]' }]);
  });

  it('quotes the page of the marker', () => {
    const { citations } = writtenFrom(twoPages, 'Eleven windows and a keeper [light.pdf, page 2].');
    expect(citations).toMatchObject([{ page_number: 2, quote: 'The keeper is paid nine guineas a month.' }]);
  });

  it('returns the same text and citations at any chunk boundary', () => {
    const fragment = fc.constantFrom(
      ...[
        '[[1]]',
        '[[2',
        '[[2]]',
        ']]',
        '[',
        '【2】',
        ' ',
        '\n',
        '. ',
        '- ',
        '1. ',
        '[[99]]',
        '🚀',
        '[light.pdf, page 1]',
      ],
      ...[
        'eleven windows',
        'The mate',
        'nine guineas',
        'horn. The keeper',
        '[light.pdf, pages 1-2]',
        'a[0]',
        'x'.repeat(600),
      ],
    );
    const text = fc.array(fragment, { maxLength: 20 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 200 })), (given, cuts) => {
        const at = [0, ...cuts.filter((cut) => cut < given.length).sort((a, b) => a - b), given.length];
        const deltas = at.slice(1).map((end, index) => given.slice(at[index], end));
        const whole = writtenFrom(twoPages, given);
        expect(writtenFrom(twoPages, ...deltas)).toEqual(whole);
        for (const { start, end, text: label, page_number: page, quote } of whole.citations) {
          expect(whole.text.slice(start, end)).toBe(label);
          expect(label).toBe(page === null ? '[light.pdf]' : `[light.pdf, page ${page}]`);
          const place = twoPages.find(({ chunk }) => chunk.content.includes(quote!))!.chunk;
          const isRepeated = place.content.indexOf(quote!) < place.overlap!.length;
          if (page !== null) expect(page).toBe(isRepeated ? place.overlap!.pageNumber : place.pageNumber);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('waits only for the statement after a citation at the start of a line', () => {
    const writer = new CitationWriter(twoPages);
    expect(writer.push('[[1]] It has eleven')).toBe('');
    expect(writer.push(' windows\nand')).toBe('[light.pdf, page 1] It has eleven windows\nand');
    const long = new CitationWriter(twoPages);
    expect(long.push(`[[1]] eleven windows ${'x'.repeat(1_000)}`)).not.toBe('');
  });
});
