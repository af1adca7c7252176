/**
 * Typesets `annual-report.mjs` as a PDF: `node demo/build-pdf.mjs [OUTPUT]`, by default the committed
 * document. The output is reproducible: the date is fixed and the streams are not compressed.
 */
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import PDFDocument from 'pdfkit';
import { report } from './annual-report.mjs';

const output =
  process.argv[2] ?? fileURLToPath(new URL('documents/observatory-annual-report-2025.pdf', import.meta.url));

const INK = '#1b2430';
const RULE = '#8a97a6';
const LEFT = 60;

const pdf = new PDFDocument({
  size: 'A4',
  margins: { top: 64, bottom: 64, left: LEFT, right: LEFT },
  compress: false,
  bufferPages: true,
  lang: 'en-GB',
  info: {
    Title: `${report.title}: ${report.subtitle}`,
    Author: report.title,
    Subject: 'Fictional annual report, written for the Lectern demo',
    CreationDate: new Date('2026-01-31T12:00:00Z'),
  },
});
const file = createWriteStream(output);
pdf.pipe(file);
pdf.on('pageAdded', () => pdf.fillColor(INK));

pdf.fillColor(INK).font('Times-Bold').fontSize(24).text(report.title);
pdf.font('Times-Italic').fontSize(15).text(report.subtitle).moveDown(0.8);
for (const block of report.blocks) {
  if (block.page) pdf.addPage();
  if (block.heading) setHeading(block.heading);
  if (block.text) pdf.font('Times-Roman').fontSize(11).text(block.text, { lineGap: 2.5 }).moveDown(0.7);
  if (block.table) setTable(block.table);
}
const pages = numberPages();
pdf.end();
await finished(file);
console.log(`${output}: ${pages} pages`);

function setHeading(text) {
  pdf.moveDown(0.4).font('Times-Bold').fontSize(15).text(text).moveDown(0.35);
}

/** Draws row by row, with all cells on one baseline, so that text extraction keeps rows together. */
function setTable({ title, columns, widths, rows }) {
  pdf.font('Times-Bold').fontSize(10.5).text(title, LEFT).moveDown(0.3);
  const width = widths.reduce((sum, one) => sum + one, 0);
  rule(pdf.y, width);
  let y = pdf.y + 5;
  for (const [index, row] of [columns, ...rows].entries()) {
    const strong = index === 0 || index === rows.length;
    pdf.font(strong ? 'Times-Bold' : 'Times-Roman').fontSize(10.5);
    let x = LEFT;
    for (const [column, cell] of row.entries()) {
      pdf.text(cell, x + 3, y, { width: widths[column] - 6, lineBreak: false });
      x += widths[column];
    }
    y += 17;
    if (index === 0 || index === rows.length) rule(y - 4, width);
  }
  pdf.x = LEFT;
  pdf.y = y + 8;
}

function rule(y, width) {
  pdf
    .moveTo(LEFT, y)
    .lineTo(LEFT + width, y)
    .lineWidth(0.6)
    .stroke(RULE);
}

/**
 * Writes page numbers into the bottom margin, where text would otherwise start a new page. @returns the
 * number of pages
 */
function numberPages() {
  const { count } = pdf.bufferedPageRange();
  for (let page = 0; page < count; page += 1) {
    pdf.switchToPage(page);
    pdf.page.margins.bottom = 0;
    const text = `${page + 1} / ${count}`;
    pdf
      .font('Times-Roman')
      .fontSize(9)
      .text(text, LEFT, pdf.page.height - 44, { align: 'center' });
  }
  return count;
}
