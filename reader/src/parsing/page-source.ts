import type { Conversion } from './office/libre-office.js';
import { TYPE_BY_EXTENSION } from './sniff/file-names.js';

/** Formats that LibreOffice converts before they are parsed. */
export const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  'application/msword': { from: 'doc', to: 'docx' },
  'application/rtf': { from: 'rtf', to: 'docx' },
  'application/vnd.ms-excel': { from: 'xls', to: 'xlsx' },
  'application/vnd.oasis.opendocument.spreadsheet': { from: 'ods', to: 'xlsx' },
  'application/vnd.ms-powerpoint': { from: 'ppt', to: 'pptx' },
  'application/vnd.oasis.opendocument.presentation': { from: 'odp', to: 'pptx' },
};

/** The renderer of a content type's page images. */
type PageSource =
  | { readonly drawn: 'pdf' | 'picture' }
  /** LibreOffice converts the file to PDF; `from` is the extension of its format. */
  | { readonly drawn?: never; readonly from: string };

/** Office formats that are parsed directly, but whose pages are drawn with LibreOffice. */
const PAGED_BY_OFFICE = ['docx', 'pptx', 'xlsx', 'odt'];

export const PICTURES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/bmp', 'image/tiff'];

const SOURCES: ReadonlyMap<string, PageSource> = new Map<string, PageSource>([
  ['application/pdf', { drawn: 'pdf' }],
  ...PICTURES.map((type): [string, PageSource] => [type, { drawn: 'picture' }]),
  ...PAGED_BY_OFFICE.map((from): [string, PageSource] => [TYPE_BY_EXTENSION[from] ?? from, { from }]),
  ...Object.entries(CONVERSIONS).map(([type, { from }]): [string, PageSource] => [type, { from }]),
]);

/** undefined: the type has no pages. */
export function pageSourceOf(contentType: string): PageSource | undefined {
  return SOURCES.get(contentType);
}
