/** A page of a {@link minimalPdf}. */
interface MinimalPage {
  /** Width and height in points. */
  readonly size: readonly [number, number];
  /** Rotation in degrees, clockwise. */
  readonly rotate?: number;
  /** Operators of the content stream of the page; unset: the page is blank. */
  readonly content?: string;
}

/** Returns a PDF with exactly these pages. The font F1 is Helvetica. */
export function minimalPdf(pages: readonly MinimalPage[]): Uint8Array<ArrayBuffer> {
  const pageNumber = (index: number): number => 4 + index * 2;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, i) => `${pageNumber(i)} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap(({ size, rotate = 0, content = '' }, i) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size.join(' ')}] /Rotate ${rotate} /Contents ${pageNumber(i) + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const offset = String(file.length).padStart(10, '0');
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${offset} 00000 n \n`;
  });
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(file, 'latin1'));
}

/** Returns a PDF with `count` pages, each with its page number as text. */
export function numberedPdf(count: number, word: string): Uint8Array<ArrayBuffer> {
  return minimalPdf(
    Array.from({ length: count }, (_, i) => ({
      size: [300, 200] as const,
      content: `BT /F1 18 Tf 20 100 Td (${word} page ${i + 1}) Tj ET`,
    })),
  );
}
