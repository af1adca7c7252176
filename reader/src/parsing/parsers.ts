import { PICTURES } from './page-source.js';
import type { Parser } from './parser.js';
import { CODE_BY_EXTENSION } from './sniff/file-names.js';

const plainText = async (): Promise<Parser> => (await import('./formats/text.js')).parsePlainText;
const image = async (): Promise<Parser> => (await import('./formats/image.js')).parseImage;
const json = async (): Promise<Parser> => (await import('./formats/json.js')).parseJson;
const csv = async (): Promise<Parser> => (await import('./formats/csv.js')).parseCsv;

const subtitles = async (): Promise<Parser> => (await import('./formats/subtitles.js')).parseSubtitles;

/** Parsers by content type. Loaded on first use, because most libraries are large. */
export const PARSERS: Readonly<Record<string, () => Promise<Parser>>> = {
  'text/plain': plainText,
  'text/markdown': async () => (await import('./formats/text.js')).parseMarkdown,
  'text/html': async () => (await import('./html/html-to-markdown.js')).parseHtml,
  'text/calendar': async () => (await import('./formats/calendar.js')).parseCalendar,
  'text/vtt': subtitles,
  'application/x-subrip': subtitles,
  'text/csv': csv,
  'text/tab-separated-values': csv,
  'application/json': json,
  'application/x-ndjson': json,
  'application/x-ipynb+json': async () => (await import('./formats/notebook.js')).parseNotebook,
  'application/xml': async () => (await import('./formats/xml.js')).parseXmlDocument,
  'message/rfc822': async () => (await import('./formats/eml.js')).parseEml,
  'application/vnd.ms-outlook': async () => (await import('./formats/msg.js')).parseMsg,
  'application/pdf': async () => (await import('./formats/pdf.js')).parsePdf,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': async () =>
    (await import('./formats/docx.js')).parseDocx,
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': async () =>
    (await import('./formats/pptx.js')).parsePptx,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': async () =>
    (await import('./formats/xlsx.js')).parseXlsx,
  'application/vnd.oasis.opendocument.text': async () => (await import('./formats/odt.js')).parseOdt,
  'application/epub+zip': async () => (await import('./formats/epub.js')).parseEpub,
  ...Object.fromEntries(PICTURES.map((type) => [type, image])),
  ...Object.fromEntries(Object.values(CODE_BY_EXTENSION).map((type) => [type, plainText])),
};
