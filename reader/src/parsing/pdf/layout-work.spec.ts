import { drawn, rawPdf } from '../../../../test/support/raw-pdf.js';
import { StepsOfReading } from '../../../../test/support/reading-steps.js';

const FEW = 500;
const TIMES = 4;
/** Growth of the steps when a page has `TIMES` as many texts. Texts are sorted; a quadratic part would make it 16. */
const MOST = TIMES * 1.6;

/** Pages of texts at places that give the layout most to decide. */
const PAGES: readonly (readonly [string, (count: number) => string])[] = [
  ['a grid of short texts', (count) => texts(count, (at) => [20 + (at % 25) * 23, 780 - (at / 25) * 3])],
  ['a staircase', (count) => texts(count, (at) => [10 + ((at * 7) % 590), 785 - (780 * at) / count])],
  ['one line', (count) => texts(count, (at) => [10 + (590 * at) / count, 400])],
  ['one column', (count) => texts(count, (at) => [60, 785 - (780 * at) / count])],
  ['one place', (count) => texts(count, () => [60, 400])],
  [
    'two columns of changing turns',
    (count) => texts(count, (at) => [at % 2 === 0 ? 60 : 340, 785 - (780 * at) / count]),
  ],
  [
    'numbers that may be labels',
    (count) =>
      texts(
        count,
        (at) => [20 + (at % 40) * 14, 780 - (at / 40) * 9],
        (at) => String(200_000 + at),
      ),
  ],
];

function texts(
  count: number,
  place: (at: number) => readonly [number, number],
  word: (at: number) => string = (at) => `ab${at % 7}`,
): string {
  return Array.from({ length: count }, (_, at) => {
    const [x, y] = place(at);
    return drawn(word(at), Math.round(x * 10) / 10, Math.round(y * 10) / 10, 2.5);
  }).join('');
}

/** The work for a page is in proportion to its texts. Counts steps, not seconds. */
describe('the layout of the worst page', () => {
  let steps: StepsOfReading;
  beforeAll(async () => {
    steps = await StepsOfReading.start();
  });
  afterAll(() => {
    steps.stop();
  });

  const stepsOf = (content: string): Promise<number> => steps.of(rawPdf([{ content }]), 'page.pdf');

  it.each(PAGES)('grows with the number of texts: %s', async (_, content) => {
    await stepsOf(content(FEW / 10)); // loads the modules
    const [few, many] = [await stepsOf(content(FEW)), await stepsOf(content(FEW * TIMES))];
    expect([few, many, many <= MOST * few]).toEqual([few, many, true]);
  });
});
