import { parserFor } from './parsers.js';
import type { ParsedDocument } from './parsed-document.js';
import { ParseFailure } from './parse-failure.js';
import type { Hints, Source } from './parser.js';
import { sniff } from './sniff/sniff.js';
import { storableProperties, storableText } from './storable.js';

/** A message in a message in a message is read; what nests further is not. */
const MOST_NESTED_FILES = 3;

/**
 * Reads a file of any supported format. The bytes are given away: parsers may keep or detach them.
 * @param onProgress called now and then during long work, with parts done and parts in all.
 * @throws ParseFailure with one sentence for the user, when the file cannot become a document.
 */
export function parse(
  bytes: Uint8Array,
  hints: Hints = {},
  onProgress: Source['onProgress'] = () => undefined,
): Promise<ParsedDocument> {
  return parseNested(bytes, hints, onProgress, 0);
}

async function parseNested(
  bytes: Uint8Array,
  hints: Hints,
  onProgress: Source['onProgress'],
  depth: number,
): Promise<ParsedDocument> {
  if (depth > MOST_NESTED_FILES) {
    throw new ParseFailure(
      `Files are nested more than ${MOST_NESTED_FILES} deep: upload the inner ones on their own.`,
    );
  }
  const { contentType, text } = await sniff(bytes, hints);
  const parser = await parserFor(contentType);
  try {
    const content = await parser({
      bytes,
      text,
      contentType,
      filename: hints.filename ?? null,
      onProgress,
      parseInner: (inner, innerHints) => parseNested(inner, innerHints, onProgress, depth + 1),
    });
    if (content.text.trim() === '' && hints.allowNoText !== true) throw noText();
    return {
      ...content,
      contentType,
      text: storableText(content.text),
      properties: storableProperties(content.properties),
    };
  } catch (error) {
    throw error instanceof ParseFailure ? error : unreadable(contentType, error);
  }
}

function noText(): ParseFailure {
  return new ParseFailure(
    'No text was found in the file: upload one with text, or ingest it by its looks with use_colpali.',
  );
}

function unreadable(contentType: string, cause: unknown): ParseFailure {
  return new ParseFailure(
    `The file looks like ${contentType}, but it is damaged or made in a way that cannot be read: save it anew, or convert it to PDF or plain text, and upload that.`,
    { cause },
  );
}
