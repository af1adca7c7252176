import { charsetOf } from '../sniff/declared-encoding.js';

/** The header of a message or of one of its parts (RFC 2045), as raw bytes. */
export class PartHeader {
  readonly fields: readonly Buffer[];
  /** Media type in lower case. */
  readonly type: string;
  /** Encoding of the text; undefined if none is declared, or if only ASCII is. */
  readonly charset: string | undefined;
  /** Whether a reader that trusts the declaration reads the text as UTF-8. */
  readonly isReadAsUtf8: boolean;
  readonly transferEncoding: string;
  readonly isAttachment: boolean;
  /** Separates the parts of a multipart; undefined for other types. */
  readonly boundary: string | undefined;

  /** @param defaultType media type of a part that does not declare one */
  constructor(raw: Buffer, defaultType: string) {
    this.fields = fieldsOf(raw);
    const contentType = this.value('content-type') ?? defaultType;
    this.type = /^[^;\s]*/.exec(contentType)?.[0].toLowerCase() ?? '';
    this.charset = ASCII.test(contentType) ? undefined : charsetOf(contentType);
    this.isReadAsUtf8 = this.charset === 'utf-8' || !CHARSET.test(contentType);
    this.transferEncoding =
      /[\w-]+/.exec(this.value('content-transfer-encoding') ?? '')?.[0].toLowerCase() ?? '';
    this.isAttachment = /^\s*attachment\b/i.test(this.value('content-disposition') ?? '');
    const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
    this.boundary = this.type.startsWith('multipart/')
      ? (quoted?.replace(/\\(.)/gs, '$1') ?? bare)
      : undefined;
  }

  /** Value of the first field of this name, in Latin-1; undefined if there is none. */
  value(name: string): string | undefined {
    const field = this.fields.find((one) => nameOf(one) === name);
    return field
      ?.toString('latin1')
      .slice(name.length + 1)
      .replace(/\r?\n/g, '')
      .trim();
  }
}

/** ASCII has no letters beyond it, so a text with such letters is in another encoding. */
const ASCII = /;\s*charset\s*=\s*"?(?:us-)?ascii\b/i;

const CHARSET = /;\s*charset\b/i;

const BOUNDARY = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/is;

/** Name of a field in lower case. */
export function nameOf(field: Buffer): string {
  const colon = field.indexOf(0x3a);
  return (colon === -1 ? field : field.subarray(0, colon)).toString('latin1').trim().toLowerCase();
}

/** The fields with their continuation lines and line ends. */
function fieldsOf(raw: Buffer): Buffer[] {
  const starts: number[] = [];
  for (let at = 0; at < raw.length;) {
    if (starts.length === 0 || (raw[at] !== 0x20 && raw[at] !== 0x09)) starts.push(at);
    const end = raw.indexOf(0x0a, at);
    at = end === -1 ? raw.length : end + 1;
  }
  return starts.map((start, index) => raw.subarray(start, starts[index + 1] ?? raw.length));
}
