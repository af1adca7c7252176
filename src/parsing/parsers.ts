import { ParseFailure } from './parse-failure.js';
import type { Parser } from './parser.js';
import { CODE_BY_EXTENSION } from './sniff/file-names.js';

const plainText = async (): Promise<Parser> => (await import('./formats/plain-text.js')).parsePlainText;
const image = async (): Promise<Parser> => (await import('./formats/image.js')).parseImage;
const json = async (): Promise<Parser> => (await import('./formats/json.js')).parseJson;
const csv = async (): Promise<Parser> => (await import('./formats/csv.js')).parseCsv;

/** One parser for each format, loaded when a file first needs it: most libraries behind them are large. */
const PARSERS: Readonly<Record<string, () => Promise<Parser>>> = {
  'text/plain': plainText,
  'text/markdown': async () => (await import('./formats/markdown.js')).parseMarkdown,
  'text/html': async () => (await import('./formats/html.js')).parseHtml,
  'text/csv': csv,
  'text/tab-separated-values': csv,
  'application/json': json,
  'application/x-ndjson': json,
  'application/xml': async () => (await import('./formats/xml.js')).parseXmlDocument,
  'message/rfc822': async () => (await import('./formats/eml.js')).parseEml,
  'application/pdf': async () => (await import('./formats/pdf.js')).parsePdf,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': async () =>
    (await import('./formats/docx.js')).parseDocx,
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': async () =>
    (await import('./formats/pptx.js')).parsePptx,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': async () =>
    (await import('./formats/xlsx.js')).parseXlsx,
  'application/vnd.oasis.opendocument.text': async () => (await import('./formats/odt.js')).parseOdt,
  'application/epub+zip': async () => (await import('./formats/epub.js')).parseEpub,
  'image/png': image,
  'image/jpeg': image,
  'image/webp': image,
  'image/gif': image,
  'image/tiff': image,
  ...Object.fromEntries(Object.values(CODE_BY_EXTENSION).map((type) => [type, plainText])),
};

/** The parser of a sniffed type. @throws ParseFailure when there is none. */
export async function parserFor(contentType: string): Promise<Parser> {
  const load = PARSERS[contentType];
  if (load === undefined) {
    throw new ParseFailure(
      `Files of type ${contentType} cannot be read: convert it to PDF, DOCX or plain text.`,
    );
  }
  return load();
}
