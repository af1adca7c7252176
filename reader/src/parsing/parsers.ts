import type { ParserName } from '../formats.js';
import type { Parser } from './parser.js';

/** The parsers of the table of formats. Loaded on first use, because most libraries are large. */
export const PARSERS: Readonly<Record<ParserName, () => Promise<Parser>>> = {
  text: async () => (await import('./formats/text.js')).parsePlainText,
  markdown: async () => (await import('./formats/text.js')).parseMarkdown,
  html: async () => (await import('./html/html-to-markdown.js')).parseHtml,
  calendar: async () => (await import('./formats/calendar.js')).parseCalendar,
  subtitles: async () => (await import('./formats/subtitles.js')).parseSubtitles,
  xml: async () => (await import('./formats/xml.js')).parseXmlDocument,
  csv: async () => (await import('./formats/csv.js')).parseCsv,
  json: async () => (await import('./formats/json.js')).parseJson,
  notebook: async () => (await import('./formats/notebook.js')).parseNotebook,
  mail: async () => (await import('./formats/eml.js')).parseEml,
  outlook: async () => (await import('./formats/msg.js')).parseMsg,
  pdf: async () => (await import('./formats/pdf.js')).parsePdf,
  docx: async () => (await import('./formats/docx.js')).parseDocx,
  pptx: async () => (await import('./formats/pptx.js')).parsePptx,
  xlsx: async () => (await import('./formats/xlsx.js')).parseXlsx,
  odt: async () => (await import('./formats/odt.js')).parseOdt,
  epub: async () => (await import('./formats/epub.js')).parseEpub,
  image: async () => (await import('./formats/image.js')).parseImage,
};
