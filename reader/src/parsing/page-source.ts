import { formatOf } from '../formats.js';

/** The renderer of a content type's page images. */
export type PageSource =
  | { readonly drawn: 'pdf' | 'picture' }
  /** LibreOffice converts the file to PDF; `from` is the extension of its format. */
  | { readonly drawn?: never; readonly from: string };

/** undefined: the type has no pages. */
export function pageSourceOf(contentType: string): PageSource | undefined {
  const format = formatOf(contentType);
  if (format?.pages === undefined) return undefined;
  return format.pages === 'office' ? { from: format.extensions[0] } : { drawn: format.pages };
}
