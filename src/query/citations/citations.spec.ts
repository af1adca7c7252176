import { fc } from '../../../test/support/properties.js';
import { chunkOf } from '../../../test/support/chunks.js';
import { citableSources, CitationWriter } from './citations.js';

const sources = citableSources([
  { number: 1, asImage: false, chunk: chunkOf({ filename: 'manual.pdf', pageNumber: 3, chunkNumber: 7 }) },
  { number: 2, asImage: false, chunk: chunkOf({ filename: 'manual.pdf', pageNumber: 3, chunkNumber: 8 }) },
  { number: 3, asImage: false, chunk: chunkOf({ filename: 'notes.txt', pageNumber: null }) },
  { number: 4, asImage: false, chunk: chunkOf({ filename: null, pageNumber: null, documentId: 'd-4' }) },
]);

function written(...deltas: readonly string[]) {
  const writer = new CitationWriter(sources);
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
    ['Unknown [[99]].', 'Unknown.'],
    ['Unknown [[99]] word', 'Unknown word'],
    ['Unknown [[99]]word', 'Unknown word'],
    ['At the end [[99]]', 'At the end'],
    ['Several [[98]] [[99]].', 'Several.'],
    ['Then known [[99]] [[3]].', 'Then known [notes.txt].'],
    ['Letters [[abc]].', 'Letters.'],
    ['Empty [[]].', 'Empty.'],
    ['Decimal [[1.5]] end', 'Decimal end'],
    ['One bracket [[1] end', 'One bracket end'],
    ['Never closed [[1', 'Never closed'],
    ['Never closed [[1\nNext line', 'Never closed\nNext line'],
    ['Invented [ghost.pdf, page 9].', 'Invented.'],
    ['Wrong page [manual.pdf, page 4].', 'Wrong page.'],
    ['Invented [ghost.pdf].', 'Invented.'],
    ['Single unknown [42].', 'Single unknown.'],
  ])('removes the marker of %p', (given, expected) => {
    const { text, citations } = written(given);
    expect(text).toBe(expected);
    expect(citations.every(({ source }) => source.label === 'notes.txt')).toBe(true);
  });

  it.each([
    'list[0] = map["a"][1]',
    'if [[ -f file ]]; then',
    'See [the manual](http://example.com) and [sic].',
    '[1]: http://example.com',
    '- [ ] open\n- [x] done',
    'trailing blanks  ',
    'an open [ bracket',
    '',
  ])('leaves %p as it is', (given) => {
    expect(written(given)).toEqual({ text: given, citations: [] });
  });

  it('writes one label for neighbouring chunks of one page and places both', () => {
    const { text, citations } = written('Two years [[1]] [[2]] [[2]].');
    expect(text).toBe('Two years [manual.pdf, page 3].');
    expect(citations.map(({ source }) => source.chunk.chunkNumber)).toEqual([7, 8]);
  });

  it('gives offsets in UTF-16 code units', () => {
    const { text, citations } = written('🚀 两年 [[3]], dann [[1]]');
    expect(citations.map(({ start, end }) => text.slice(start, end))).toEqual([
      '[notes.txt]',
      '[manual.pdf, page 3]',
    ]);
  });

  it('gives the same text and offsets wherever the text is cut', () => {
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

  it('reads a long run of blanks in one pass', () => {
    const text = `a${' '.repeat(100_000)}b`;
    const begun = performance.now();
    expect(written(text)).toEqual({ text, citations: [] });
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  it('does not hold back a long bracket for ever', () => {
    const writer = new CitationWriter(sources);
    expect(writer.push(`[${'x'.repeat(1_000)}`)).toHaveLength(1_001);
  });
});
