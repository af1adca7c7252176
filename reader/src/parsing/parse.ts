import { formatOf, type ParsedFormat } from '../formats.js';
import { hasVisibleText } from './visible-text.js';
import { withoutEmbeddedFiles } from './embedded-files.js';
import { noText, ParseFailure } from './parse-failure.js';
import type { Hints, ParsedContent, ParsedDocument, Source } from './parser.js';
import { PARSERS } from './parsers.js';
import { SECONDS as SECONDS_OF_OFFICE, type Conversion } from './office/libre-office.js';
import { withoutAppearance, writtenScripts } from './sniff/rich-text.js';
import { mayNeedPassword, openPdf } from './pdf/open-pdf.js';
import type { DecodedText } from './sniff/decode-text.js';
import { PDF_TYPE } from './sniff/signatures.js';
import { sniff } from './sniff/sniff.js';
import { storableProperties, storableText } from './storable.js';

/** Maximum nesting of messages within messages. */
const MAX_NESTED_FILES = 3;

/**
 * Parses a file of any supported format. Takes ownership of the bytes: parsers may keep or detach them.
 *
 * @throws ParseFailure with a user-facing message if the file cannot become a document.
 */
export function parse(bytes: Uint8Array, hints: Hints, surroundings: Surroundings): Promise<ParsedDocument> {
  return parseNested(bytes, hints, surroundings, 0);
}

/**
 * Looks for what no reading can change, at the cost of a look at the file.
 *
 * @throws ParseFailure with a defect. Other failures are left to {@link parse}.
 */
export async function judge(bytes: Uint8Array, hints: Hints): Promise<void> {
  try {
    const { contentType } = await sniff(bytes, hints);
    if (formatOf(contentType) === undefined) throw unsupported(contentType);
    if (contentType === PDF_TYPE && mayNeedPassword(bytes))
      await (await openPdf(bytes)).loadingTask.destroy();
  } catch (error) {
    if (error instanceof ParseFailure && error.defect !== null) throw error;
  }
}

/** Services that parsers need from their process. */
type Surroundings = Pick<Source, 'onProgress' | 'allow' | 'office'>;

async function parseNested(
  bytes: Uint8Array,
  hints: Hints,
  surroundings: Surroundings,
  depth: number,
): Promise<ParsedDocument> {
  if (depth > MAX_NESTED_FILES) {
    throw new ParseFailure(
      `Files are nested more than ${MAX_NESTED_FILES} deep: upload the inner files separately.`,
    );
  }
  const { contentType, decoded } = await sniff(bytes, hints);
  const format = formatOf(contentType);
  if (format === undefined) throw unsupported(contentType);
  const conversion = conversionOf(format);
  const parser = await PARSERS[format.parser]();
  try {
    const content = readable(
      await parser({
        bytes: conversion === undefined ? bytes : await converted(bytes, conversion, surroundings),
        text: decoded?.text ?? null,
        encoding: decoded?.encoding ?? null,
        contentType,
        filename: hints.filename ?? null,
        ...surroundings,
        parseInner: (inner, innerHints) => parseNested(inner, innerHints, surroundings, depth + 1),
      }),
    );
    if (!hasVisibleText(content.text) && hints.allowNoText !== true) throw noText();
    return {
      pages: [],
      pageCount: null,
      ...content,
      contentType,
      text: storableText(conversion?.from === 'rtf' ? writtenScripts(content.text) : content.text),
      properties: storableProperties({ ...content.properties, ...encodingProperties(contentType, decoded) }),
    };
  } catch (error) {
    throw error instanceof ParseFailure ? error.of(contentType) : unreadable(contentType, error);
  }
}

/** Removes embedded base64 files from the text. Formats with pages do not have pictures in their text. */
function readable(content: ParsedContent): ParsedContent {
  if (content.pages !== undefined) return content;
  const { text, files, characters } = withoutEmbeddedFiles(content.text);
  if (files === 0) return content;
  const properties = {
    ...content.properties,
    embedded_files_left_out: files,
    embedded_characters_left_out: characters,
  };
  return { ...content, text, properties };
}

/** Returns the encoding of a text that is not plain UTF-8. The parts of a message have separate encodings. */
function encodingProperties(contentType: string, decoded: DecodedText | null): Record<string, unknown> {
  if (decoded === null || contentType === 'message/rfc822') return {};
  const { encoding, isGuessed, replaced } = decoded;
  if (encoding === 'utf-8' && replaced === 0) return {};
  return {
    encoding,
    ...(isGuessed ? { encoding_guessed: true } : {}),
    ...(replaced === 0 ? {} : { replaced_characters: replaced }),
  };
}

function unreadable(contentType: string, cause: unknown): ParseFailure {
  return new ParseFailure(
    `The file looks like ${contentType}, but it is damaged or cannot be parsed: save it again, or convert it to PDF or plain text, and upload that.`,
    { cause, contentType },
  );
}

/** Converts a file of an older format with LibreOffice. @throws ParseFailure if the conversion fails. */
async function converted(
  bytes: Uint8Array,
  conversion: Conversion,
  { office, allow }: Surroundings,
): Promise<Uint8Array> {
  const source = conversion.from === 'rtf' ? withoutAppearance(bytes) : bytes;
  allow(SECONDS_OF_OFFICE);
  return office.convert(source, conversion);
}

function unsupported(contentType: string): ParseFailure {
  return new ParseFailure(
    `Files of type ${contentType} cannot be read: convert the file to PDF, DOCX or plain text.`,
    { defect: 'type', contentType },
  );
}

function conversionOf({ extensions: [from], convertedTo: to }: ParsedFormat): Conversion | undefined {
  return to === undefined ? undefined : { from, to };
}
