import { CODE_BY_EXTENSION } from './sniff/file-names.js';
import { sniff } from './sniff/sniff.js';
import type { ParsedDocument } from './parsed-document.js';
import { ParseFailure } from './parse-failure.js';
import type { Hints, Parser, Source } from './parser.js';
import { storableProperties, storableText } from './storable.js';

/** Parsers are loaded when a file first needs them: most libraries behind them are large. */
const PARSERS: Readonly<Record<string, () => Promise<Parser>>> = {
  'text/plain': plainText,
  'text/markdown': async () => (await import('./formats/markdown.js')).parseMarkdown,
  'text/html': async () => (await import('./formats/html.js')).parseHtml,
  'application/pdf': async () => (await import('./formats/pdf.js')).parsePdf,
};

const CODE = new Set(Object.values(CODE_BY_EXTENSION));

async function plainText(): Promise<Parser> {
  return (await import('./formats/plain-text.js')).parsePlainText;
}

/**
 * Reads a file of any supported format. The bytes are given away: parsers may keep or detach them.
 * @param onProgress called now and then during long work, with parts done and parts in all.
 * @throws ParseFailure with one sentence for the user, when the file cannot become a document.
 */
export async function parse(
  bytes: Uint8Array,
  hints: Hints = {},
  onProgress: Source['onProgress'] = () => undefined,
): Promise<ParsedDocument> {
  const { contentType, text } = await sniff(bytes, hints);
  const load = PARSERS[contentType] ?? (CODE.has(contentType) ? plainText : undefined);
  if (load === undefined) {
    throw new ParseFailure(
      `Files of type ${contentType} cannot be read: convert it to PDF, DOCX or plain text and upload that.`,
    );
  }
  const parser = await load();
  const filename = hints.filename ?? null;
  try {
    const content = await parser({ bytes, text, contentType, filename, onProgress });
    if (content.text.trim() === '')
      throw new ParseFailure('No text was found in the file: upload one with text.');
    return {
      ...content,
      contentType,
      text: storableText(content.text),
      properties: storableProperties(content.properties),
    };
  } catch (error) {
    if (error instanceof ParseFailure) throw error;
    throw new ParseFailure(
      `The file looks like ${contentType}, but it is damaged or made in a way that cannot be read: save it anew, or convert it to PDF or plain text, and upload that.`,
      { cause: error },
    );
  }
}
