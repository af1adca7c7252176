import { createHash } from 'node:crypto';
import { provenText, type TextChunk, type TextPart } from './whole-text.js';

const TEXT = 'The keeper lit the lamp. The boat came home.\n\nNobody 𝄞 was lost at sea that night.';

/** Chunks that overlap by four characters, and leave out white space at their ends. */
function chunksOf(text: string): TextChunk[] {
  const bounds = [
    [0, 24],
    [25, 44],
    [46, 60],
    [56, text.length],
  ] as const;
  return bounds.map(([start, end], number) => {
    const content = text.slice(start, end);
    return { number, start, end, content, hash: createHash('sha256').update(content).digest('hex') };
  });
}

function partsOf(text: string, ...cuts: number[]): TextPart[] {
  const bounds = [0, ...cuts, text.length];
  return bounds.slice(0, -1).map((start, part) => ({
    part,
    startOffset: start,
    content: text.slice(start, bounds[part + 1]),
  }));
}

const RECORDED = { length: TEXT.length, chunks: 4 };
const chunks = chunksOf(TEXT);
const without = <T>(list: readonly T[], index: number): T[] => list.filter((_, at) => at !== index);
const changed = (list: readonly TextPart[], index: number, change: (content: string) => string): TextPart[] =>
  list.map((part, at) => (at === index ? { ...part, content: change(part.content) } : part));

describe('the proven text of a document', () => {
  it('is the stored text if parts, length and chunks agree, also with a lost or changed chunk', () => {
    const stored = { text: TEXT, isStored: true };
    expect(provenText(partsOf(TEXT, 20, 50), chunks, RECORDED)).toEqual(stored);
    expect(provenText(partsOf(TEXT), without(chunks, 1), RECORDED)).toEqual(stored);
    const damaged = chunks.map((chunk) =>
      chunk.number === 2 ? { ...chunk, content: 'Nobody  XX was' } : chunk,
    );
    expect(provenText(partsOf(TEXT), damaged, RECORDED)).toEqual(stored);
  });

  it.each([
    ['a part is lost', without(partsOf(TEXT, 20, 50), 1)],
    ['the last part is lost', without(partsOf(TEXT, 20, 50), 2)],
    ['all parts are lost', []],
    ['a sentence is lost', changed(partsOf(TEXT, 50), 0, (text) => text.replace('The boat came home.', ''))],
    ['a word is changed', changed(partsOf(TEXT, 50), 0, (text) => text.replace('boat', 'goat'))],
    ['a part is doubled', [...partsOf(TEXT, 50), { part: 2, startOffset: 0, content: TEXT.slice(0, 50) }]],
  ])('comes from the chunks if %s; only white space between them may differ', (_, parts) => {
    const proven = provenText(parts, chunks, RECORDED);
    const text = 'text' in proven ? proven.text : proven.lost;
    expect(text.replaceAll(/\s/g, ' ')).toBe(TEXT.replaceAll(/\s/g, ' '));
    expect(proven).toMatchObject({ isStored: false });
  });

  it('is composed of parts where a chunk is lost, and of chunks where a part is lost', () => {
    const proven = provenText(without(partsOf(TEXT, 24, 44), 1), without(chunks, 3), RECORDED);
    expect(proven).toEqual({ text: TEXT, isStored: false });
  });

  it('names what neither proves', () => {
    expect(provenText(without(partsOf(TEXT, 24, 45), 1), without(chunks, 1), RECORDED)).toEqual({
      lost: 'characters 24 to 45 of the text are lost',
    });
    expect(provenText([], without(chunks, 3), RECORDED)).toEqual({
      lost: 'characters 60 to 83 of the text are lost',
    });
  });

  it('is lost if two intact chunks contradict each other', () => {
    const other = chunksOf(TEXT.replace('lost', 'seen'));
    const [, , , last] = other;
    if (last === undefined) throw new Error('no chunk');
    expect(provenText([], [...chunks, { ...last, number: 4 }], { ...RECORDED, chunks: 5 })).toEqual({
      lost: 'chunk 4 contradicts another chunk',
    });
  });
});
