import { fc } from '../../test/support/properties.js';
import { chunkOf } from '../../test/support/chunks.js';
import { flattened, grouped } from './present.js';
import type { RetrievedChunk } from './retrieval.types.js';

interface Place {
  readonly document: number;
  readonly number: number;
  readonly isPage: boolean;
}

const nameOf = ({ document, number, isPage }: Place): string => `${document}/${isPage ? 'p' : 't'}${number}`;
const chunkAt = ({ document, number, isPage }: Place, isPadding: boolean): RetrievedChunk =>
  chunkOf({
    documentId: String(document),
    chunkNumber: number,
    imageKey: isPage ? `${document}/${number}.png` : null,
    isPadding,
  });
const placeOf = ({ documentId, chunkNumber, imageKey }: RetrievedChunk): string =>
  nameOf({ document: Number(documentId), number: chunkNumber, isPage: imageKey !== null });

const place = fc.record({
  document: fc.nat({ max: 2 }),
  number: fc.nat({ max: 9 }),
  isPage: fc.boolean(),
});
/** Documents with gaps in their passages and pages, and matches in rank order. */
const situation = fc.record({
  stored: fc.uniqueArray(place, { selector: nameOf, maxLength: 60 }),
  picks: fc.uniqueArray(fc.nat({ max: 59 }), { maxLength: 8 }),
  padding: fc.nat({ max: 4 }),
});

describe('padding', () => {
  it('groups neighbours within the padding by match, and lists each once', () => {
    fc.assert(
      fc.property(situation, ({ stored, picks, padding }) => {
        const matches = picks.map((pick) => stored[pick]).filter((one) => one !== undefined);
        const groups = grouped(
          matches.map((one) => chunkAt(one, false)),
          stored.map((one) => chunkAt(one, true)).reverse(),
          padding,
        );
        const names = matches.map(nameOf);
        const expected = matches.map((match) =>
          stored
            .filter(
              (one) =>
                one.document === match.document &&
                one.isPage === match.isPage &&
                Math.abs(one.number - match.number) <= padding &&
                !names.includes(nameOf(one)),
            )
            .sort((one, other) => one.number - other.number)
            .map(nameOf),
        );
        expect(groups.map(({ mainChunk }) => placeOf(mainChunk))).toEqual(names);
        expect(groups.map(({ paddingChunks }) => paddingChunks.map(placeOf))).toEqual(expected);
        const flat = flattened(groups);
        expect(flat.map(placeOf)).toEqual([...new Set([...names, ...expected.flat()])]);
        expect(flat.map(({ isPadding }) => isPadding)).toEqual(flat.map((_, at) => at >= names.length));
      }),
      { numRuns: 500 },
    );
  });
});
