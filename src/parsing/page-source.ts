import type { Conversion } from './office/libre-office.js';
import { TYPE_BY_EXTENSION } from './sniff/file-names.js';

/** Formats of which LibreOffice makes one that is read here. */
export const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  'application/msword': { from: 'doc', to: 'docx' },
  'application/rtf': { from: 'rtf', to: 'docx' },
  'application/vnd.ms-excel': { from: 'xls', to: 'xlsx' },
  'application/vnd.oasis.opendocument.spreadsheet': { from: 'ods', to: 'xlsx' },
  'application/vnd.ms-powerpoint': { from: 'ppt', to: 'pptx' },
  'application/vnd.oasis.opendocument.presentation': { from: 'odp', to: 'pptx' },
};

/** How page images are made of files of a type. */
type PageSource =
  | { readonly drawn: 'pdf' | 'picture' }
  /** LibreOffice makes a PDF of it; `from` is the extension of its format. */
  | { readonly drawn?: never; readonly from: string };

/** Office formats that are read directly, and have pages by way of LibreOffice. */
const PAGED_BY_OFFICE = ['docx', 'pptx', 'xlsx', 'odt'];

export const PICTURES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/bmp', 'image/tiff'];

const SOURCES: ReadonlyMap<string, PageSource> = new Map<string, PageSource>([
  ['application/pdf', { drawn: 'pdf' }],
  ...PICTURES.map((type): [string, PageSource] => [type, { drawn: 'picture' }]),
  ...PAGED_BY_OFFICE.map((from): [string, PageSource] => [TYPE_BY_EXTENSION[from] ?? from, { from }]),
  ...Object.entries(CONVERSIONS).map(([type, { from }]): [string, PageSource] => [type, { from }]),
]);

/** undefined: files of the type have no pages to be drawn. */
export function pageSourceOf(contentType: string): PageSource | undefined {
  return SOURCES.get(contentType);
}
