import { htmlToMarkdown } from '../html/html-to-markdown.js';
import type { Parser } from '../parser.js';

/** A web page as Markdown: headings, lists and tables stay; scripts, styles and navigation go. */
export const parseHtml: Parser = ({ text }) => {
  const { markdown, ...properties } = htmlToMarkdown(text ?? '');
  return { text: markdown, textType: 'text/markdown', pages: [], pageCount: null, properties };
};
