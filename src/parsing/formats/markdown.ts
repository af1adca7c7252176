import { outlineOf } from '../../splitting/outline.js';
import type { Parser } from '../parser.js';

/** Markdown stays as it is written; its first heading of the first level is the title. */
export const parseMarkdown: Parser = ({ text }) => ({
  text: text ?? '',
  textType: 'text/markdown',
  pages: [],
  pageCount: null,
  properties: { title: outlineOf(text ?? '').headings.find(({ level }) => level === 1)?.text },
});
