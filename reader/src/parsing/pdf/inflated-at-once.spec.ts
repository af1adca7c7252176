import { drawn, rawPdf, stream } from '../../../../test/support/raw-pdf.js';
import { DocumentReader } from '../document-reader.js';
import { Readers } from '../reader/readers.js';

describe('a compressed stream of a PDF', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  it('is read as far as it goes if it is damaged', async () => {
    const lines = Array.from({ length: 40 }, (_, at) =>
      drawn(`Berth ${at * 7919} is let`, 60, 760 - at * 16),
    );
    const whole = rawPdf([{ content: lines.join('') }]);
    const end = stream('', Buffer.from(lines.join(''))).length;
    const start = Buffer.from(whole).indexOf('/FlateDecode');
    whole.fill(0xff, start + Math.floor(end / 2), start + Math.floor(end / 2) + 8);
    const { document } = await reader.read(whole, { filename: 'berths.pdf' });
    const text = document.text.slice();
    expect(text).toContain('Berth 0 is let');
    expect(text).not.toContain(`Berth ${39 * 7919} is let`);
  });
});
