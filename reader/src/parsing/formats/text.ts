import { outlineOf } from '../../splitting/outline.js';
import type { Parser } from '../parser.js';

/** Plain text, Markdown and source code: the text is the document. */
export const parsePlainText: Parser = ({ text, contentType }) => ({
  text: text ?? '',
  textType: contentType,
  properties: {},
});

/** Keeps Markdown unchanged. Its first heading of level 1 is the title. */
export const parseMarkdown: Parser = ({ text }) => ({
  text: text ?? '',
  textType: 'text/markdown',
  properties: { title: outlineOf(text ?? '').headings.find(({ level }) => level === 1)?.text },
});
