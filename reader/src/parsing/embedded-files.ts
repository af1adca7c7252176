export interface ReadableText {
  readonly text: string;
  /** Number of removed files and of removed characters. */
  readonly files: number;
  readonly characters: number;
}

/** A part of a text, from `start` to before `end`. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * Removes files embedded in a text as data: URLs or base64. The media type of a data: URL is kept (`data:image/png`);
 * other blocks become an ellipsis. Linear in the length of the text.
 */
export function withoutEmbeddedFiles(text: string): ReadableText {
  const addresses = cut(text, contentsOfAddresses(text), '');
  const blocks = cut(addresses.text, blocksOf(addresses.text), '…');
  return {
    text: blocks.text,
    files: addresses.files + blocks.files,
    characters: addresses.characters + blocks.characters,
  };
}

function cut(text: string, parts: Iterable<Part>, mark: string): ReadableText {
  const kept: string[] = [];
  let from = 0;
  let files = 0;
  let characters = 0;
  for (const { start, end } of parts) {
    kept.push(text.slice(from, start), mark);
    from = end;
    files += 1;
    characters += end - start;
  }
  return { text: files === 0 ? text : kept.join('') + text.slice(from), files, characters };
}

const SCHEME = 'data:';

/** Header of a data: URL (RFC 2397). */
const HEADER = /data:([a-z]{1,20}\/[\w.+-]{1,80})(?:;[\w.+-]{1,40}(?:="?[\w.+-]{1,80}"?)?){0,4},/iy;
const BASE64 = ';base64,';

/** Media types whose content is removed even if it is not base64: `data:image/svg+xml,%3Csvg ...`. */
const PICTURE = /^(?:image|font|audio|video)\//i;

function* contentsOfAddresses(text: string): Generator<Part, void> {
  let at = text.indexOf(SCHEME);
  while (at >= 0) {
    HEADER.lastIndex = at;
    const [header, type = ''] = HEADER.exec(text) ?? [];
    let next = at + SCHEME.length;
    if (header !== undefined) {
      const content = at + header.length;
      const isBase64 = header.toLowerCase().endsWith(BASE64);
      const end = isBase64
        ? endOfBlock(text, content)
        : PICTURE.test(type)
          ? endOfPicture(text, content, at)
          : content;
      if (end > content) {
        // Removes `;base64,` or the comma too.
        yield { start: content - (isBase64 ? BASE64.length : 1), end };
        next = end;
      }
    }
    at = text.indexOf(SCHEME, next);
  }
}

/** End of a picture without base64: the closing quotation mark, or the first character invalid in a URL. */
function endOfPicture(text: string, start: number, address: number): number {
  const quote = text[address - 1] ?? '';
  if (quote !== '"' && quote !== "'") {
    END_OF_ADDRESS.lastIndex = start;
    return END_OF_ADDRESS.exec(text)?.index ?? text.length;
  }
  // The quotation mark is escaped if the URL is inside a string of code or JSON.
  const isEscaped = text[address - 2] === '\\';
  for (let at = text.indexOf(quote, start); at >= 0; at = text.indexOf(quote, at + 1)) {
    if ((text[at - 1] === '\\') === isEscaped) return isEscaped ? at - 1 : at;
  }
  return start;
}

const END_OF_ADDRESS = /[\s"'<>()[\]]/g;

/** Minimum length of a base64 line. Base64 lines have 64 or 76 characters; shorter runs are words, hashes and keys. */
const LEAST_LINE = 60;

/** Minimum length of a base64 block. Shorter blocks are hashes, signatures and keys. */
const LEAST_BLOCK = 1_024;

/** Minimum number of distinct base64 characters in a file. Gene sequences and hexadecimal digits have fewer. */
const LEAST_VARIETY = 40;

/** Signatures of files with few distinct characters at the start: PNG, JPEG, GIF, WebP, TIFF, PDF, ZIP. */
const SIGNATURE = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|SUkqA|TU0AK|JVBERi0|UEsDB)/;

/**
 * Distance between the characters that the search tests. A line of the minimum length contains at least one of the
 * characters at these steps.
 */
const STRIDE = LEAST_LINE / 2;

function* blocksOf(text: string): Generator<Part, void> {
  let end = 0;
  for (let at = 0; at < text.length; at += STRIDE) {
    if (at < end || !isBase64Code(text.charCodeAt(at))) continue;
    let start = at;
    while (start > end && isBase64Code(text.charCodeAt(start - 1))) start -= 1;
    end = endOfLine(text, at);
    if (end - start < LEAST_LINE) continue;
    end = endOfBlock(text, start);
    if (end - start >= LEAST_BLOCK && isFile(text, start, end)) yield { start, end };
  }
}

function isFile(text: string, start: number, end: number): boolean {
  if (SIGNATURE.test(text.slice(start, start + 16))) return true;
  const seen = new Set<number>();
  for (let at = start; at < end && seen.size < LEAST_VARIETY; at += 1) {
    const code = text.charCodeAt(at);
    if (isBase64Code(code)) seen.add(code);
  }
  return seen.size >= LEAST_VARIETY;
}

/**
 * End of the base64 block that begins at `start`. A block consists of lines of equal length and a shorter last line.
 */
function endOfBlock(text: string, start: number): number {
  let end = endOfLine(text, start);
  let length = end - start;
  let lines = 1;
  while (length >= LEAST_LINE && text[end - 1] !== '=') {
    const next = startOfNextLine(text, end);
    if (next === undefined) break;
    const nextEnd = endOfLine(text, next);
    const nextLength = nextEnd - next;
    // The first line may be shorter because it follows other text.
    if (nextLength === 0 || (lines > 1 && nextLength > length)) break;
    if (nextLength < LEAST_LINE && !isLastLine(text, next, nextEnd)) break;
    end = nextEnd;
    if (lines > 1 && nextLength < length) break;
    length = nextLength;
    lines += 1;
  }
  return end;
}

/**
 * Whether a short line is the last line of a block. Unlike a word, such a line has padding, a digit or an inner
 * capital. The line must not contain anything else.
 */
function isLastLine(text: string, start: number, end: number): boolean {
  const line = text.slice(start, end);
  return /^[\s"'<)\\\]]?$/.test(text[end] ?? '') && (line.endsWith('=') || /.[A-Z\d+/]/.test(line));
}

function endOfLine(text: string, start: number): number {
  let end = start;
  while (isBase64Code(text.charCodeAt(end))) end += 1;
  const padding = /^(?:=|%3D){1,2}/i.exec(text.slice(end, end + 6));
  return end + (padding?.[0].length ?? 0);
}

/** A line end with the following indentation. The line end may be a JSON escape. */
const LINE_END = /(?:\r?\n[ \t]{0,40}|\\r\\n|\\n)/y;

function startOfNextLine(text: string, end: number): number | undefined {
  LINE_END.lastIndex = end;
  const found = LINE_END.exec(text);
  return found === null ? undefined : end + found[0].length;
}

/** Base64 and its URL-safe variant; `%` escapes belong to the content of a URL. */
function isBase64Code(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 47 && code <= 57) ||
    code === 43 ||
    code === 45 ||
    code === 95
  );
}
