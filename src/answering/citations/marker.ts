/** Result of parsing a potential citation marker. */
export type Marker =
  /** Not a marker: the character is plain text. */
  | { readonly kind: 'text' }
  /** More text is needed to decide. */
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'numbers'; readonly length: number; readonly numbers: readonly number[] }
  /** A label in words, such as `manual.pdf, page 3`. */
  | { readonly kind: 'label'; readonly length: number; readonly label: string };

const TEXT: Marker = { kind: 'text' };
const UNFINISHED: Marker = { kind: 'unfinished' };

/** Maximum length of the content of a marker, in characters. A file name and a page fit. */
const MAX_LENGTH = 320;

const NUMBERS = /^\s*(?:(?:passages?|sources?|no\.?|#)\s*)?\d{1,6}(?:\s*(?:,|;|&|and)\s*\d{1,6})*\s*$/i;
const LABEL_WITH_PAGE = /\S, ?p(?:ages?|p?\.)? ?\d+(?:[-–]\d+)?$/i;
const DOCUMENT_NAME =
  /^[^<>|"]+\.(?:pdf|docx?|pptx?|xlsx?|odt|epub|eml|txt|md|html?|csv|json|xml|png|jpe?g|webp|gif|tiff?)$/i;
const DOCUMENT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Matches a character after which `[` begins an index or a link instead of a citation. */
const BINDS = /[\p{L}\p{N}_)\]]/u;

/**
 * Parses the marker at `at`: `[[1]]`, `[[1, 3]]`, the variants `[1]` and `【1】` that models write, and labels in words.
 * `[[` without numbers is a malformed marker if no space follows, and plain text if a space follows, as in `[[ x ]]` of
 * shell scripts.
 *
 * @param before the character before the marker; empty at the beginning of the text and after another marker
 * @param whole whether `text` is complete.
 */
export function markerAt(text: string, at: number, before: string, whole: boolean): Marker {
  const rest = text.slice(at, at + MAX_LENGTH + 8);
  if (rest.length === 1 && !whole) return UNFINISHED;
  if (rest.startsWith('[[')) return doubled(rest, whole);
  if (rest.startsWith('【')) return single(rest, '】', whole);
  return BINDS.test(before) ? TEXT : single(rest, ']', whole);
}

function doubled(rest: string, whole: boolean): Marker {
  const end = endOfBody(rest, 2);
  const stop = rest[end];
  if (stop === undefined && !whole) return UNFINISHED;
  const body = rest.slice(2, end);
  if (stop !== ']') return cutOff(body);
  if (rest.length === end + 1 && !whole) return UNFINISHED;
  if (/^\s/.test(body) && !NUMBERS.test(body)) return TEXT;
  return rest[end + 1] === ']' ? readBody(body, end + 2, true) : malformed(end + 1);
}

function single(rest: string, closing: string, whole: boolean): Marker {
  const end = endOfBody(rest, 1);
  const stop = rest[end];
  if (stop === undefined && !whole) return UNFINISHED;
  if (stop !== closing) return TEXT;
  if (rest.length === end + 1 && !whole) return UNFINISHED;
  // `](` is a link, `]:` a footnote definition.
  if (/[(:]/.test(rest[end + 1] ?? '')) return TEXT;
  // In 【3†manual.pdf】 the text after the dagger only repeats the source.
  return readBody(rest.slice(1, end).replace(/†.*$/, ''), end + 1, false);
}

/** End of the content of a marker: a bracket, the end of the line, or the maximum length. */
function endOfBody(rest: string, start: number): number {
  const length = rest.slice(start, start + MAX_LENGTH).search(/[[\]【】\n]/);
  return length === -1 ? Math.min(rest.length, start + MAX_LENGTH) : start + length;
}

/** The marker for an unclosed `[[`: the brackets and the digits after them. The rest is plain text. */
function cutOff(body: string): Marker {
  if (/^\s/.test(body)) return TEXT;
  return malformed(2 + (/^\d[\d,; ]*/.exec(body)?.[0].trimEnd().length ?? 0));
}

function malformed(length: number): Marker {
  return { kind: 'numbers', length, numbers: [] };
}

function readBody(body: string, length: number, surelyMarker: boolean): Marker {
  if (NUMBERS.test(body)) return { kind: 'numbers', length, numbers: (body.match(/\d+/g) ?? []).map(Number) };
  const label = body.trim();
  if (LABEL_WITH_PAGE.test(label) || DOCUMENT_NAME.test(label) || DOCUMENT_ID.test(label)) {
    return { kind: 'label', length, label };
  }
  return surelyMarker ? malformed(length) : TEXT;
}
