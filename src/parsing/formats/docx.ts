import mammoth from 'mammoth';
import { Archive } from '../archive/archive.js';
import { htmlToMarkdown } from '../html/html-to-markdown.js';
import { officeProperties } from '../archive/office-open-xml.js';
import type { Parser } from '../parser.js';

/** Pictures are left out of the text; without this the library would put their bytes into it. */
const WITHOUT_PICTURES = {
  convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
  styleMap: ['p[style-name="Title"] => h1:fresh', 'p[style-name="Subtitle"] => h2:fresh'],
};

/** The link from a footnote to where it is called. */
const WAY_BACK = / <a href="#[^"]*">↑<\/a>/g;

/** A Word document: headings, lists, tables, footnotes. */
export const parseDocx: Parser = async ({ bytes }) => {
  const archive = await Archive.open(bytes);
  await archive.verify();
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) },
    WITHOUT_PICTURES,
  );
  return {
    text: htmlToMarkdown(value.replace(WAY_BACK, '')).markdown,
    textType: 'text/markdown',
    pages: [],
    pageCount: null,
    properties: await officeProperties(archive),
  };
};
