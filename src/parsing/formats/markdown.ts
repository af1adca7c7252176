import type { Parser } from '../parser.js';

const TITLE = /^ {0,3}#\s+(.+?)\s*#*\s*$/m;

/** Markdown stays as it is written; its first heading is the title. */
export const parseMarkdown: Parser = ({ text }) => ({
  text: text ?? '',
  textType: 'text/markdown',
  pages: [],
  pageCount: null,
  properties: { title: TITLE.exec(text ?? '')?.[1] },
});
