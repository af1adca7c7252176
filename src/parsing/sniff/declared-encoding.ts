import { encodingOf } from './encodings.js';

/** How far into a text its declaration may be. Pages have long comments and scripts before it. */
const HEAD = 65_536;

/** Of markup, where comments are skipped. The bound keeps tags that never end from costing the square of their number. */
const IN_MARKUP =
  /<!--|<meta[^>]{1,500}?charset\s*=\s*["']?([\w.:-]+)|<\?xml[^>]{1,200}?encoding\s*=\s*["']([\w.:-]+)/gi;

const MARKUP = /^\s*</;

/** Of a style sheet, and of source code in one of its first two lines (PEP 263, Emacs, Vim). */
const IN_CODE =
  /^@charset "([\w.:-]+)"|^(?:[^\n]{0,200}\n)?[ \t\f]*(?:#|\/\/|\/\*|;|%|")[^\n]{0,200}?coding[:=][ \t]*([\w.:-]+)/;

/** The encoding that a text of bytes above ASCII names in itself; undefined for none, and for one that is unknown. */
export function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD)).toString('latin1');
  const label = MARKUP.test(head) ? labelInMarkup(head) : labelIn(IN_CODE.exec(head));
  const encoding = label === undefined ? undefined : encodingOf(label);
  // A declaration that could be read byte by byte is not in an encoding of wider units (HTML, section 13.2.3.2).
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

/** The `charset` parameter of a media type (RFC 9110, section 8.3.2), where it names a known encoding. */
export function charsetOf(mediaType: string | null | undefined): string | undefined {
  const label = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(mediaType ?? '')?.[1];
  return label === undefined ? undefined : encodingOf(label);
}
