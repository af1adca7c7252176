import { pdfOf } from '../support/generate/pdf-files.mjs';

/** Returns a PDF with this many pages of text, all different. */
export function longPdf(pages) {
  return pdfOf({}, (pdf) => {
    for (let page = 1; page <= pages; page += 1) {
      if (page > 1) pdf.addPage();
      for (let paragraph = 1; paragraph <= 6; paragraph += 1) {
        pdf.text(`Page ${page} paragraph ${paragraph}. ${sentences(page * 7 + paragraph)}`).moveDown();
      }
    }
  });
}

function sentences(seed) {
  return Array.from(
    { length: 4 },
    (_, n) =>
      `Station ${(seed * 31 + n) % 9973} measured ${(seed * 7919 + n * 13) % 1013} millimetres of rain.`,
  ).join(' ');
}
