import { DocumentReader } from '../document-reader.js';
import { Readers } from '../reader/readers.js';

/**
 * A page with lines of text and annotations. The file has no cross-reference table, so readers search for the objects.
 */
function pdfWith(content: string, annotations: readonly string[]): Uint8Array {
  const widgets = annotations.map((_, index) => `${20 + index} 0 R`).join(' ');
  return new TextEncoder().encode(
    `%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${widgets}] >> >>\nendobj\n` +
      `2 0 obj\n<< /Type /Pages /Kids [4 0 R] /Count 1 >>\nendobj\n` +
      `3 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n` +
      `4 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Annots [${widgets}] ` +
      `/Resources << /Font << /F1 3 0 R >> >> >>\nendobj\n` +
      `5 0 obj\n<< /Length ${content.length} >>\nstream\n${content}\nendstream\nendobj\n` +
      annotations.map((one, index) => `${20 + index} 0 obj\n<< /Type /Annot ${one} >>\nendobj\n`).join('') +
      `trailer\n<< /Root 1 0 R >>\n%%EOF\n`,
  );
}

const line = (y: number, text: string): string => `BT /F1 12 Tf 72 ${y} Td (${text}) Tj ET\n`;
const field = (y: number, rest: string): string =>
  `/Subtype /Widget /T (f${y}) /Rect [200 ${y - 4} 400 ${y + 14}] /F 4 ${rest}`;

describe('parsePdf on a form', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  async function textOf(content: string, annotations: readonly string[]): Promise<string> {
    const { document } = await reader.read(pdfWith(content, annotations), { filename: 'form.pdf' });
    return document.text.slice();
  }

  it('puts the values after their labels', async () => {
    const labels = ['Name:', 'Country:', 'Insured', 'Not insured', 'Berth:'];
    const content = labels.map((label, index) => line(720 - index * 30, label)).join('');
    const text = await textOf(content, [
      field(600, '/FT /Tx /V (B-4471)'),
      field(720, '/FT /Tx /V (Ingrid Vestergaard)'),
      field(690, '/FT /Ch /Ff 131072 /Opt [[(dk) (Denmark)] [(no) (Norway)]] /V (no)'),
      field(660, '/FT /Btn /V /Yes /AS /Yes'),
      field(630, '/FT /Btn /V /Off /AS /Off'),
    ]);
    expect(text.split(/\n+/)).toEqual([
      'Name:  Ingrid Vestergaard',
      'Country:  Norway',
      'Insured  [x]',
      'Not insured  [ ]',
      'Berth:  B-4471',
    ]);
  });

  it('reads the free text on the page', async () => {
    const text = await textOf(line(720, 'The heron waits.') + line(500, 'The end.'), [
      '/Subtype /FreeText /Contents (Approved on 3 May) /DA (/F1 12 Tf) /Rect [72 600 300 620] /F 4',
    ]);
    expect(text).toBe('The heron waits.\n\nApproved on 3 May\n\nThe end.');
  });

  it('omits hidden fields and passwords', async () => {
    const text = await textOf(line(720, 'The heron waits.'), [
      field(690, '/FT /Tx /V (hidden)').replace('/F 4', '/F 2'),
      field(660, '/FT /Tx /V (not to be viewed)').replace('/F 4', '/F 32'),
      field(630, '/FT /Tx /Ff 8192 /V (password)'),
    ]);
    expect(text).toBe('The heron waits.');
  });

  it('separates an exponent and a footnote number from the number before it', async () => {
    const raisedRun = (text: string): string => `/F1 7 Tf 5 Ts (${text}) Tj 0 Ts /F1 12 Tf `;
    const text = await textOf(
      `BT /F1 12 Tf 72 720 Td (There are 10) Tj ${raisedRun('6')} ( birds in 50) Tj ${raisedRun('2')} ( ports, the 1) Tj ${raisedRun('st')} ( of May.) Tj ET`,
      [],
    );
    expect(text).toBe('There are 10^6 birds in 50^2 ports, the 1st of May.');
  });
});
