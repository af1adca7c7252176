import { drawn, rawPdf } from '../../../../test/support/raw-pdf.js';
import { DocumentReader } from '../document-reader.js';
import { Readers } from '../reader/readers.js';

const SIZE = 8;
/** Width of a digit of Helvetica, in font sizes. */
const DIGIT = 0.556;

/** Draws labels one by one. @param step from the start of a label to the start of the next, in font sizes */
const axis = (labels: readonly string[], step: number): string =>
  labels.map((label, index) => drawn(label, 40 + index * step * SIZE, 300, SIZE)).join('');
const range = (from: number, to: number, by = 1): string[] =>
  Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => String(from + index * by));

describe('labels that stand close to each other', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  const textOf = async (content: string, entries = ''): Promise<string> => {
    const { document } = await reader.read(rawPdf([{ content, entries }]), { filename: 'chart.pdf' });
    return document.text.slice();
  };
  const words = (text: string): string[] => text.split(/\s+/);

  it.each([0.3, 0.12, 0.06, 0, -0.06, -0.3])('are apart at a gap of %d font sizes', async (gap) => {
    const numbers = range(20, 34);
    expect(words(await textOf(axis(numbers, 2 * DIGIT + gap)))).toEqual(numbers);
  });

  it.each([
    ['years', ['2019', '2020', '2021', '2022'], 4 * DIGIT + 0.05],
    ['decimal fractions', ['0.1', '0.2', '0.3', '0.4'], 2 * DIGIT + 0.278 + 0.06],
    ['unequal numbers with a gap', ['117', '204', '359'], 3 * DIGIT + 0.08],
    ['months', ['Jan', 'Feb', 'Mar', 'Apr'], 1.66],
    ['descending numbers', range(10, 14).reverse(), 2 * DIGIT],
  ])('are apart: %s', async (_, labels, step) => {
    expect(words(await textOf(axis(labels, step)))).toEqual(labels);
  });

  it.each([90, 180, 270])('are apart on a page that is turned by %d degrees', async (angle) => {
    const numbers = range(20, 34);
    expect(words(await textOf(axis(numbers, 2 * DIGIT + 0.05), `/Rotate ${angle}`))).toEqual(numbers);
  });

  it.each([
    ['a number drawn digit by digit', axis(Array.from('20241105'), DIGIT)],
    ['ascending digits of one number', axis(Array.from('12345678'), DIGIT)],
    ['a kerned number', `BT /F1 10 Tf 40 300 Td [(20) -20 (24) 30 (11) -40 (05)] TJ ET\n`],
    ['a number in two parts', axis(['2024', '1105'], 4 * DIGIT)],
  ])('do not split %s', async (_, content) => {
    expect(await textOf(content)).toMatch(/^\d{8}$/);
  });
});
