import { titleOf } from '../splitting/title.js';
import type { ParsedDocument } from './parser.js';

export function titleOfContent(
  {
    properties,
    text,
    textType,
    pageCount,
  }: Pick<ParsedDocument, 'properties' | 'textType' | 'pageCount'> & { readonly text: Pick<string, 'slice'> },
  filename: string | null,
): string | null {
  return titleOf({
    own: properties['title'],
    head: text,
    contentType: textType,
    hasPages: pageCount !== null,
    filename,
  });
}
