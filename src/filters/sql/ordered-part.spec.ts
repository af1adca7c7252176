import { any, EVERYTHING } from '../filter.js';
import {
  idsAt,
  pointsOf,
  idsWithin,
  rangesOf,
  isInPart,
  orderedPartsOf,
  withinPart,
} from './ordered-part.js';
import { parseFilter } from '../parse/parse-filter.js';

const parsed = (filter: object) => parseFilter(filter, ['filters']) ?? EVERYTHING;
const partsOf = (filter: object) => orderedPartsOf(parsed(filter));
const range = rangesOf(parsed({ size: { $gt: 5 } }))[0];
const points = pointsOf(parsed({ size: 5 }))[0];

describe('what a filter demands in order', () => {
  it('is its ranges, and alternatives of ranges and points', () => {
    expect(partsOf({ size: { $gt: 5 } })).toEqual([range]);
    const both = { $or: [{ size: 5 }, { size: { $gt: 5 } }] };
    const alternatives = { kind: 'alternatives', parts: [points, range] };
    expect(partsOf(both)).toEqual([alternatives]);
    expect(partsOf({ size: { $gt: 5 }, $and: [both, { a: true }] })).toEqual([range, alternatives]);
  });

  it('is one part of each alternative', () => {
    const [part] = partsOf({
      $or: [{ a: 1, size: { $gt: 5 } }, { $or: [{ size: 5 }, { size: 5, b: true }] }],
    });
    expect(part).toEqual({ kind: 'alternatives', parts: [range, points, points] });
  });

  it.each<[string, object]>([
    ['one alternative demands nothing of the kind', { $or: [{ size: 5 }, { a: true }] }],
    ['there are only points', { size: 5, $or: [{ size: 5 }, { a: 3 }] }],
    ['there are too many', { $or: Array.from({ length: 17 }, (_, index) => ({ size: { $gt: index } })) }],
    [
      'there are too many inside one another',
      {
        $or: Array.from({ length: 6 }, () => ({
          $or: [{ size: 5 }, { size: { $gt: 5 } }, { a: { $lt: 3 } }],
        })),
      },
    ],
    ['they are denied', { $nor: [{ size: 5 }, { size: { $gt: 5 } }] }],
  ])('is nothing where %s', (_, filter) => {
    expect(partsOf(filter)).toEqual([]);
  });

  it('is nothing of no alternatives, and something of as many as there may be', () => {
    expect(orderedPartsOf(any([]))).toEqual([]);
    const most = { $or: Array.from({ length: 16 }, (_, index) => ({ size: { $gt: index } })) };
    expect(partsOf(most)).toHaveLength(1);
  });

  it('is in the table under the ids of any alternative', () => {
    const [part] = partsOf({ $or: [{ size: 5 }, { size: { $gt: 5 } }] });
    if (!part || !points || !range) throw new Error('no parts');
    const ids = `${idsAt('t', points).text} union all ${idsWithin('t', range).text}`;
    expect(withinPart('t', part).text.split(/\$\d+/)).toEqual(
      `d.external_id = any(array(${ids}))`.split(/\$\d+/),
    );
    expect(isInPart(part).text).toBe(
      `((${numbered(isInPart(points).text, 1)}) or (${numbered(isInPart(range).text, isInPart(points).values.length + 1)}))`,
    );
  });

  it('is about met by whatever is an array, of which the table has the ends', () => {
    const texts = [points, range].map((part) => part && isInPart(part).text);
    expect(texts[0]).toMatch(/^\(.* or jsonb_typeof\(d\.metadata -> \$\d+::text\) = 'array'\)$/);
    expect(texts[1]).not.toMatch(/ or jsonb_typeof\(d\.metadata -> \$\d+::text\) = 'array'\)$/);
  });
});

/** The text with its parameters numbered from `first` on. */
function numbered(text: string, first: number): string {
  let next = first;
  return text.replace(/\$\d+/g, () => `$${next++}`);
}
