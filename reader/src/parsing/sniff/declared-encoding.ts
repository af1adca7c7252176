import { encodingOf } from './encodings.js';

/** Maximum number of bytes before a declaration. Web pages have long comments and scripts before the declaration. */
const HEAD = 65_536;

/** Declarations and comments of markup. The bounds keep the cost of unclosed tags linear. */
const IN_MARKUP =
  /<!--|<meta[^>]{1,500}?charset\s*=\s*["']?([\w.:-]+)|<\?xml[^>]{1,200}?encoding\s*=\s*["']([\w.:-]+)/gi;

const MARKUP = /^\s*</;

/** Declarations of a style sheet, and of source code in the first two lines (PEP 263, Emacs, Vim). */
const IN_CODE =
  /^@charset "([\w.:-]+)"|^(?:[^\n]{0,200}\n)?[ \t\f]*(?:#|\/\/|\/\*|;|%|")[^\n]{0,200}?coding[:=][ \t]*([\w.:-]+)/;

/** Returns the encoding that a text declares; undefined if it declares no known encoding. */
export function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD)).toString('latin1');
  const label = MARKUP.test(head) ? labelInMarkup(head) : labelIn(IN_CODE.exec(head));
  const encoding = label === undefined ? undefined : encodingOf(label);
  // A declaration in single bytes cannot be in UTF-16 or UTF-32 (HTML, section 13.2.3.2).
  return encoding?.startsWith('utf-') === true ? 'utf-8' : encoding;
}

function labelInMarkup(head: string): string | undefined {
  IN_MARKUP.lastIndex = 0;
  for (let match = IN_MARKUP.exec(head); match !== null; match = IN_MARKUP.exec(head)) {
    if (match[0] !== '<!--') return labelIn(match);
    const end = head.indexOf('-->', IN_MARKUP.lastIndex);
    if (end === -1) return undefined;
    IN_MARKUP.lastIndex = end;
  }
  return undefined;
}

function labelIn(match: RegExpExecArray | null): string | undefined {
  return match?.[1] ?? match?.[2];
}

/** Returns the `charset` parameter of a media type (RFC 9110, section 8.3.2) if the encoding is known. */
export function charsetOf(mediaType: string | null | undefined): string | undefined {
  const label = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(mediaType ?? '')?.[1];
  return label === undefined ? undefined : encodingOf(label);
}
