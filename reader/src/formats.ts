/**
 * The table of formats. Sniffing, the choice of a parser, page images, the label in the playground and the rules for
 * file names derive from it; formats.spec.ts says what a new row lacks. Has no imports, because it also runs in browsers.
 */
export interface Format {
  /** Detected media type. */
  readonly type: string;
  /** Extensions of file names, the usual one first. */
  readonly extensions: readonly [string, ...string[]];
  /** Name in the documentation. */
  readonly name: string;
  /** Kind of document in the playground. */
  readonly label: string;
  readonly parser: string;
  /** Whether the bytes are decoded to text before they are parsed. */
  readonly isText?: true;
  /** Matches the beginning of a text of this format, whatever the file is named. */
  readonly begins?: RegExp;
  /** Encoding of every file of the format. */
  readonly encoding?: 'utf-8';
  /** The part that identifies a ZIP archive as this format. OpenDocument and EPUB files state their type themselves. */
  readonly mainPart?: string;
  /** LibreOffice converts a file to the format with this extension before it is parsed. */
  readonly convertedTo?: 'docx' | 'pptx' | 'xlsx';
  /** The renderer of page images; absent: the format has no pages. */
  readonly pages?: 'pdf' | 'picture' | 'office';
  /** Whether programs save other formats under these extensions too, so that a file name promises nothing. */
  readonly isLooselyNamed?: true;
}

/** Formats with content of their own are before plain text and source code. */
const TABLE = [
  {
    type: 'text/html',
    extensions: ['html', 'htm', 'xhtml'],
    name: 'HTML',
    label: 'Web page',
    parser: 'html',
    isText: true,
    begins: /^(?:\s|<!--(?:(?!-->).)*-->|<\?xml[^>]*>)*<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])/is,
  },
  {
    type: 'application/xml',
    extensions: ['xml'],
    name: 'XML',
    label: 'XML',
    parser: 'xml',
    isText: true,
    begins: /^\s*<\?xml[\s?]/,
  },
  {
    type: 'text/calendar',
    extensions: ['ics'],
    name: 'iCalendar',
    label: 'Calendar',
    parser: 'calendar',
    isText: true,
    begins: /^\s*BEGIN:VCALENDAR[ \t]*\r?\n/i,
  },
  {
    type: 'text/vtt',
    extensions: ['vtt'],
    name: 'WebVTT',
    label: 'Subtitles',
    parser: 'subtitles',
    isText: true,
    begins: /^WEBVTT(?:[ \t][^\n]*)?\n[^]*?\d\d:\d\d[.,]\d{3}[ \t]+-->/,
  },
  {
    type: 'application/x-subrip',
    extensions: ['srt'],
    name: 'SubRip',
    label: 'Subtitles',
    parser: 'subtitles',
    isText: true,
    begins: /^\s*\d+\n\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}/,
  },
  {
    type: 'text/csv',
    extensions: ['csv'],
    name: 'CSV',
    label: 'Table',
    parser: 'csv',
    isText: true,
  },
  {
    type: 'text/tab-separated-values',
    extensions: ['tsv'],
    name: 'TSV',
    label: 'Table',
    parser: 'csv',
    isText: true,
  },
  // JSON is UTF-8 (RFC 8259, section 8.1).
  {
    type: 'application/json',
    extensions: ['json'],
    name: 'JSON',
    label: 'JSON',
    parser: 'json',
    isText: true,
    encoding: 'utf-8',
  },
  {
    type: 'application/x-ndjson',
    extensions: ['jsonl', 'ndjson'],
    name: 'JSON lines',
    label: 'JSON',
    parser: 'json',
    isText: true,
    encoding: 'utf-8',
  },
  {
    type: 'application/x-ipynb+json',
    extensions: ['ipynb'],
    name: 'Jupyter notebooks',
    label: 'Notebook',
    parser: 'notebook',
    isText: true,
  },
  {
    type: 'message/rfc822',
    extensions: ['eml'],
    name: 'EML',
    label: 'E-mail',
    parser: 'mail',
    isText: true,
  },
  {
    type: 'application/vnd.ms-outlook',
    extensions: ['msg'],
    name: 'MSG',
    label: 'E-mail',
    parser: 'outlook',
  },
  {
    type: 'application/pdf',
    extensions: ['pdf'],
    name: 'PDF',
    label: 'PDF',
    parser: 'pdf',
    pages: 'pdf',
  },
  {
    type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    extensions: ['docx'],
    name: 'DOCX',
    label: 'Word',
    parser: 'docx',
    mainPart: 'word/document.xml',
    pages: 'office',
  },
  {
    type: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    extensions: ['pptx'],
    name: 'PPTX',
    label: 'PowerPoint',
    parser: 'pptx',
    mainPart: 'ppt/presentation.xml',
    pages: 'office',
  },
  {
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extensions: ['xlsx'],
    name: 'XLSX',
    label: 'Excel',
    parser: 'xlsx',
    mainPart: 'xl/workbook.xml',
    pages: 'office',
  },
  {
    type: 'application/vnd.oasis.opendocument.text',
    extensions: ['odt'],
    name: 'ODT',
    label: 'Word',
    parser: 'odt',
    pages: 'office',
  },
  {
    type: 'application/epub+zip',
    extensions: ['epub'],
    name: 'EPUB',
    label: 'E-book',
    parser: 'epub',
  },
  {
    type: 'application/msword',
    extensions: ['doc'],
    name: 'DOC',
    label: 'Word',
    parser: 'docx',
    convertedTo: 'docx',
    pages: 'office',
    isLooselyNamed: true,
  },
  {
    type: 'application/vnd.ms-excel',
    extensions: ['xls'],
    name: 'XLS',
    label: 'Excel',
    parser: 'xlsx',
    convertedTo: 'xlsx',
    pages: 'office',
    isLooselyNamed: true,
  },
  {
    type: 'application/vnd.ms-powerpoint',
    extensions: ['ppt'],
    name: 'PPT',
    label: 'PowerPoint',
    parser: 'pptx',
    convertedTo: 'pptx',
    pages: 'office',
    isLooselyNamed: true,
  },
  {
    type: 'application/rtf',
    extensions: ['rtf'],
    name: 'RTF',
    label: 'Rich text',
    parser: 'docx',
    convertedTo: 'docx',
    pages: 'office',
    isLooselyNamed: true,
  },
  {
    type: 'application/vnd.oasis.opendocument.spreadsheet',
    extensions: ['ods'],
    name: 'ODS',
    label: 'Excel',
    parser: 'xlsx',
    convertedTo: 'xlsx',
    pages: 'office',
  },
  {
    type: 'application/vnd.oasis.opendocument.presentation',
    extensions: ['odp'],
    name: 'ODP',
    label: 'PowerPoint',
    parser: 'pptx',
    convertedTo: 'pptx',
    pages: 'office',
  },
  { type: 'image/png', extensions: ['png'], name: 'PNG', label: 'Image', parser: 'image', pages: 'picture' },
  {
    type: 'image/jpeg',
    extensions: ['jpg', 'jpeg'],
    name: 'JPEG',
    label: 'Image',
    parser: 'image',
    pages: 'picture',
  },
  {
    type: 'image/webp',
    extensions: ['webp'],
    name: 'WebP',
    label: 'Image',
    parser: 'image',
    pages: 'picture',
  },
  { type: 'image/gif', extensions: ['gif'], name: 'GIF', label: 'Image', parser: 'image', pages: 'picture' },
  { type: 'image/bmp', extensions: ['bmp'], name: 'BMP', label: 'Image', parser: 'image', pages: 'picture' },
  {
    type: 'image/tiff',
    extensions: ['tif', 'tiff'],
    name: 'TIFF',
    label: 'Image',
    parser: 'image',
    pages: 'picture',
  },
  {
    type: 'text/markdown',
    extensions: ['md', 'markdown'],
    name: 'Markdown',
    label: 'Markdown',
    parser: 'markdown',
    isText: true,
  },
  {
    type: 'text/plain',
    extensions: ['txt', 'text', 'log'],
    name: 'plain text',
    label: 'Text',
    parser: 'text',
    isText: true,
  },
] as const satisfies readonly Format[];

/** Source code and configuration: line breaks are significant, and the file name decides. */
const CODE: Readonly<Record<string, Format['extensions']>> = {
  'text/css': ['css'],
  'text/javascript': ['js', 'jsx', 'mjs'],
  'text/x-c': ['c', 'h'],
  'text/x-c++': ['cpp', 'cc', 'cxx', 'hpp'],
  'text/x-clojure': ['clj'],
  'text/x-csharp': ['cs'],
  'text/x-dart': ['dart'],
  'text/x-elixir': ['ex', 'exs'],
  'text/x-go': ['go'],
  'text/x-haskell': ['hs'],
  'text/x-ini': ['ini'],
  'text/x-java': ['java'],
  'text/x-kotlin': ['kt'],
  'text/x-lua': ['lua'],
  'text/x-objectivec': ['m'],
  'text/x-ocaml': ['ml'],
  'text/x-perl': ['pl'],
  'text/x-php': ['php'],
  'text/x-python': ['py'],
  'text/x-r': ['r'],
  'text/x-ruby': ['rb'],
  'text/x-rust': ['rs'],
  'text/x-scala': ['scala'],
  'text/x-shellscript': ['sh', 'bash'],
  'text/x-sql': ['sql'],
  'text/x-swift': ['swift'],
  'text/x-toml': ['toml'],
  'text/x-typescript': ['ts', 'tsx'],
  'text/x-vue': ['vue'],
  'text/x-yaml': ['yaml', 'yml'],
};

export type ParserName = (typeof TABLE)[number]['parser'];

export interface ParsedFormat extends Format {
  readonly parser: ParserName;
}

export const CODE_FORMATS: readonly ParsedFormat[] = Object.entries(CODE).map(([type, extensions]) => ({
  type,
  extensions,
  name: 'source code',
  label: 'Code',
  parser: 'text',
  isText: true,
}));

export const FORMATS: readonly ParsedFormat[] = [...TABLE, ...CODE_FORMATS];

const BY_TYPE = new Map(FORMATS.map((format) => [format.type, format]));
const BY_EXTENSION = new Map(
  FORMATS.flatMap((format) => format.extensions.map((extension) => [extension, format] as const)),
);

/** The format of a detected media type; undefined for other types. */
export function formatOf(type: string): ParsedFormat | undefined {
  return BY_TYPE.get(type);
}

/** The lower-case extension without its dot; empty if there is no extension. */
export function extensionOf(filename: string | null | undefined): string {
  return /\.([^./\\]+)$/.exec(filename ?? '')?.[1]?.toLowerCase() ?? '';
}

/** The format that the extension of a file name promises; undefined if it promises none. */
export function promisedFormat(filename: string | null | undefined): ParsedFormat | undefined {
  const format = BY_EXTENSION.get(extensionOf(filename));
  return format?.isLooselyNamed === true ? undefined : format;
}

/** The media type of {@link promisedFormat}. */
export function promisedBy(filename: string | null | undefined): string | undefined {
  return promisedFormat(filename)?.type;
}

/** Whether files of a media type are text. */
export function isTextual(type: string): boolean {
  return formatOf(type)?.isText ?? type.startsWith('text/');
}

/** Whether the text of a document is the text of its file, so that it still has this media type after a text is appended. */
export function isReadVerbatim(type: string): boolean {
  const parser = formatOf(type)?.parser;
  return parser === 'text' || parser === 'markdown';
}

/** A media type in the words that people use. */
export function labelOf(type: string): string {
  const known = formatOf(type)?.label;
  if (known !== undefined) return known;
  if (type.startsWith('image/')) return 'Image';
  return type.startsWith('text/') ? 'Text' : 'File';
}
