import { charsetOf } from '../sniff/declared-encoding.js';
import { decodeText, likelyEncoding, type DecodedText } from '../sniff/decode-text.js';
import { isPdfFile, RTF, startsWith, ZIP } from '../sniff/signatures.js';
import { fromBase64, fromQuotedPrintable, headerInUtf8 } from './header-words.js';
import { nameOf, PartHeader } from './part-header.js';

export interface Utf8Message {
  readonly bytes: Uint8Array;
  /** How the texts were decoded that are not plain UTF-8. */
  readonly decoded: readonly DecodedText[];
}

/**
 * Rewrites a message so that its headers and texts are UTF-8, by the rules of text files: UTF-8 if the bytes are valid,
 * or else the declared encoding, or else the likeliest. Mail readers trust declarations, which are often wrong or
 * missing. Everything else stays byte for byte. Removes a byte order mark and blank lines before the header.
 */
export function messageInUtf8(bytes: Uint8Array): Utf8Message {
  return new Rewriting(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).run();
}

interface Boundary {
  readonly value: string;
  /** Media type of parts without a declared one. */
  readonly defaultType: string;
}

const PLAIN = 'text/plain';
const MESSAGE = 'message/rfc822';

class Rewriting {
  private readonly output: Buffer[] = [];
  private readonly decoded: DecodedText[] = [];
  private readonly boundaries: Boundary[] = [];
  /** Header of the open part; undefined while it is read, and between parts. */
  private header: PartHeader | undefined;
  private isInHeader = true;
  private defaultType = PLAIN;
  /** Start of the open header or text. */
  private start: number;

  constructor(private readonly source: Buffer) {
    this.start = leadOf(source);
  }

  run(): Utf8Message {
    const { source } = this;
    for (let at = this.start; at < source.length;) {
      const newline = source.indexOf(0x0a, at);
      const next = newline === -1 ? source.length : newline + 1;
      this.line(at, next);
      at = next;
    }
    this.endPart(source.length);
    return { bytes: Buffer.concat(this.output), decoded: this.decoded };
  }

  private line(start: number, end: number): void {
    const found = this.boundaryAt(start, end);
    if (found !== undefined) {
      const { index, isLast } = found;
      this.endPart(start);
      this.output.push(this.source.subarray(start, end));
      this.defaultType = this.boundaries[index]?.defaultType ?? PLAIN;
      this.boundaries.splice(isLast ? index : index + 1);
      this.isInHeader = !isLast;
      this.start = end;
    } else if (
      this.isInHeader &&
      /^\r?\n?$/.test(this.source.toString('latin1', start, Math.min(end, start + 3)))
    ) {
      this.endHeader(start, end);
    }
  }

  private endHeader(end: number, textStart: number): void {
    const header = new PartHeader(this.source.subarray(this.start, end), this.defaultType);
    this.header = header;
    this.defaultType = PLAIN;
    this.isInHeader = false;
    if (header.boundary !== undefined) {
      const defaultType = header.type === 'multipart/digest' ? MESSAGE : PLAIN;
      this.boundaries.push({ value: header.boundary, defaultType });
    }
    // The text of an inner message begins with its header. An attached message is read as a file.
    const isMessage =
      header.type === MESSAGE && !header.isAttachment && !TRANSFERRED.test(header.transferEncoding);
    if (isMessage) {
      this.writeHeader(header);
      this.output.push(this.source.subarray(end, textStart));
      this.header = undefined;
      this.isInHeader = true;
    }
    this.start = isMessage ? textStart : end;
  }

  /** Writes the open part, whose text begins with the empty line after the header. */
  private endPart(end: number): void {
    if (this.isInHeader) {
      this.writeHeader(new PartHeader(this.source.subarray(this.start, end), this.defaultType));
    } else if (this.header === undefined) this.output.push(this.source.subarray(this.start, end));
    else this.writePart(this.header, this.source.subarray(this.start, end));
    this.header = undefined;
    this.isInHeader = false;
    this.start = end;
  }

  private writePart(header: PartHeader, text: Buffer): void {
    const decoded = header.type.startsWith('text/') ? textOfPart(header, text) : null;
    if (decoded !== null && (decoded.encoding !== 'utf-8' || decoded.replaced > 0))
      this.decoded.push(decoded);
    const isReadByLibrary = decoded === null || (decoded.encoding === 'utf-8' && header.isReadAsUtf8);
    if (isReadByLibrary) {
      this.writeHeader(header);
      this.output.push(text);
      return;
    }
    this.writeHeader(header, { isRecoded: true });
    const lines =
      Buffer.from(decoded.text)
        .toString('base64')
        .match(/.{1,76}/g) ?? [];
    this.output.push(Buffer.from(`\r\n${lines.join('\r\n')}\r\n`));
  }

  /** Of duplicate fields and parameters, the first one counts. */
  private writeHeader(header: PartHeader, { isRecoded } = { isRecoded: false }): void {
    const contentType = header.value('content-type') ?? PLAIN;
    if (isRecoded) {
      const parameters = contentType.slice(/^[^;]*/.exec(contentType)?.[0].length);
      this.write(
        `Content-Type: ${header.type}; charset=utf-8${parameters}\r\nContent-Transfer-Encoding: base64\r\n`,
      );
    }
    for (const field of header.fields) {
      if (isRecoded && REPLACED.test(nameOf(field))) continue;
      this.write(headerInUtf8(field, header.charset ?? this.encodingOfMessage()));
    }
  }

  private write(text: string): void {
    this.output.push(Buffer.from(text));
  }

  private encoding: { readonly found: string | undefined } | undefined;

  /** The first encoding that a part declares, or else the likeliest encoding of the message. */
  private encodingOfMessage(): string | undefined {
    this.encoding ??= { found: firstCharset(this.source) ?? likelyNarrow(this.source) };
    return this.encoding.found;
  }

  private boundaryAt(start: number, end: number): { index: number; isLast: boolean } | undefined {
    const { source } = this;
    if (source[start] !== 0x2d || source[start + 1] !== 0x2d) return undefined;
    const line = source.toString('latin1', start + 2, end).trimEnd();
    for (let index = this.boundaries.length - 1; index >= 0; index -= 1) {
      const value = this.boundaries[index]?.value.trimEnd() ?? '';
      if (line === value || line === `${value}--`) return { index, isLast: line !== value };
    }
    return undefined;
  }
}

const TRANSFERRED = /^(?:base64|quoted-printable)$/;
const REPLACED = /^content-(?:type|transfer-encoding)$/;

/** Length of the byte order mark and the blank lines before the header. */
function leadOf(source: Buffer): number {
  let start = source.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
  for (let at = start; at < source.length && WHITE.has(source[at] ?? 0); at += 1) {
    if (source[at] === 0x0a) start = at + 1;
  }
  return start;
}

const WHITE = new Set([0x20, 0x09, 0x0d, 0x0a]);

/** Whether a part that a message sends as text is a file of another type. */
function isOtherFile(bytes: Uint8Array): boolean {
  return [RTF, ZIP].some((signature) => startsWith(bytes, signature)) || isPdfFile(bytes, null);
}

/** @returns null if the text needs no decoding, or if the bytes are not text */
function textOfPart(
  { transferEncoding, charset, isAttachment }: PartHeader,
  text: Buffer,
): DecodedText | null {
  const source = text.toString('latin1');
  const bytes =
    transferEncoding === 'base64'
      ? fromBase64(source)
      : transferEncoding === 'quoted-printable'
        ? fromQuotedPrintable(source)
        : text;
  const isAscii = !bytes.some((byte) => byte > 0x7f || byte === 0x1b || byte === 0);
  // A file declares its encoding itself, unless the message does.
  const isFile = isAttachment && (charset === undefined || isOtherFile(bytes));
  if (isAscii || isFile) return null;
  return decodeText(transferEncoding === 'base64' ? bytes : withoutEmptyLine(bytes), charset);
}

function withoutEmptyLine(bytes: Buffer): Buffer {
  return bytes.subarray(bytes[0] === 0x0d ? 2 : 1);
}

/** Bytes at the start of a message in which a charset is looked for. */
const HEAD = 65_536;

function firstCharset(source: Buffer): string | undefined {
  const [declaration] =
    /;\s*charset\s*=\s*"?(?!(?:us-)?ascii\b|utf-?8\b)[\w.:-]+/i.exec(source.toString('latin1', 0, HEAD)) ??
    [];
  return charsetOf(declaration);
}

/** The likeliest encoding; undefined for UTF-8, in which the header is not. */
function likelyNarrow(source: Buffer): string | undefined {
  const likely = likelyEncoding(source.subarray(0, HEAD));
  return likely.startsWith('utf-') ? undefined : likely;
}
