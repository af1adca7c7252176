/* global document, getComputedStyle -- within the page */
import { chromium } from 'playwright-core';
import { randomSource } from '../random-source.mjs';
import { pageOf } from './layouts.mjs';

/**
 * Prints generated HTML with Chromium.
 *
 * @param layouts layouts by name
 * @param each number of files of each layout
 * @returns `{ name, layout, bytes, blocks }` of each file, in the form of compare.mjs
 */
export async function printPages({ executablePath, layouts, each, seed }) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const files = [];
  try {
    const page = await browser.newPage();
    for (const [at, [layout, make]] of Object.entries(layouts).entries()) {
      for (let number = 1; number <= each; number += 1) {
        const { html, turned, head, foot } = pageOf(
          make,
          randomSource(seed * 1_000_000 + at * 1_000 + number),
        );
        await page.setContent(html);
        const printed = await page.pdf({
          preferCSSPageSize: true,
          displayHeaderFooter: head !== undefined,
          headerTemplate: runningLine(head),
          footerTemplate: runningLine(`${foot} · <span class="pageNumber"></span>`),
        });
        files.push({
          name: `${layout} ${number}`,
          layout,
          bytes: turned === 0 ? printed : withRotation(printed, turned),
          blocks: await page.evaluate(readBlocks),
        });
      }
    }
    return files;
  } finally {
    await browser.close();
  }
}

const runningLine = (text) => `<div style="font-size: 9px; margin: 0 22mm">${text}</div>`;

/** Reads the blocks of a page in the order of the DOM. Runs within the page. */
function readBlocks() {
  for (const note of document.querySelectorAll('sup')) note.before(' ');
  const textOf = (element) => element.innerText.replace(/\s+/g, ' ').trim();
  const markerOf = (element) =>
    element.matches('ol > li') ? `${[...element.parentElement.children].indexOf(element) + 1}. ` : '';
  const blocks = [];
  const visit = (element) => {
    if (element.tagName === 'TR' || element.classList.contains('row')) {
      blocks.push({ cells: [...element.children].filter(({ tagName }) => tagName !== 'I').map(textOf) });
      return;
    }
    const inner = [...element.children].filter((child) => getComputedStyle(child).display !== 'inline');
    if (inner.length > 0) for (const child of inner) visit(child);
    else if (textOf(element) !== '') blocks.push({ text: markerOf(element) + textOf(element) });
  };
  visit(document.body);
  return blocks;
}

/** Turns the pages of a PDF with an update at its end. */
function withRotation(bytes, degrees) {
  const source = bytes.toString('latin1');
  const [, root] = /\/Root (\d+ 0 R)/.exec(source);
  const [, size] = /\/Size (\d+)/.exec(source);
  const start = [...source.matchAll(/startxref\s+(\d+)/g)].at(-1)[1];
  let update = '\n';
  const entries = [];
  for (const [object, number, dictionary] of source.matchAll(
    /(?:^|\n)(\d+) 0 obj\s*<<(\/Type ?\/Page\b(?!s)[^]*?)>>\s*endobj/g,
  )) {
    if (object.includes('/Rotate')) throw new Error('The page is turned already.');
    entries.push([number, bytes.length + update.length]);
    update += `${number} 0 obj\n<<${dictionary} /Rotate ${degrees}>>\nendobj\n`;
  }
  if (entries.length === 0) throw new Error('The PDF has no page objects.');
  const at = bytes.length + update.length;
  const table = entries.map(
    ([number, offset]) => `${number} 1\n${String(offset).padStart(10, '0')} 00000 n \n`,
  );
  update += `xref\n${table.join('')}trailer\n<< /Size ${size} /Root ${root} /Prev ${start} >>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([bytes, Buffer.from(update, 'latin1')]);
}
