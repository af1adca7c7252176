import type { Parser } from '../parser.js';

/** Plain text, Markdown and source code: the text is the document. */
export const parsePlainText: Parser = ({ text, contentType }) => ({
  text: text ?? '',
  textType: contentType,
  pages: [],
  pageCount: null,
  properties: {},
});
