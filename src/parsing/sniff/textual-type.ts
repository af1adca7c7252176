import type { Hints } from '../parser.js';
import { CODE_BY_EXTENSION, extensionOf, TYPE_BY_EXTENSION } from './file-names.js';

/** How far into a text its kind shows. */
const HEAD = 4_096;

const HTML = /^(?:\s|<!--.*?-->|<\?xml[^>]*>)*<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])/is;
const XML = /^\s*<\?xml[\s?]/;
const MAIL_HEADER =
  /^(?:received|return-path|delivered-to|mime-version|message-id|from|to|date|subject|content-type|x-[\w-]+):/i;

/** The kind of a text: by its content where that is plain to see, else by its name, which texts differ by only. */
export function textualType(text: string, { filename, declaredType }: Hints): string {
  const head = text.slice(0, HEAD);
  const extension = extensionOf(filename);
  const code = CODE_BY_EXTENSION[extension];
  if (code !== undefined) return code;
  if (HTML.test(head)) return 'text/html';
  if (XML.test(head)) return 'application/xml';
  if (isMail(head)) return 'message/rfc822';
  if (/^\s*[{[]/.test(head) && isJson(text)) return 'application/json';
  const named = TYPE_BY_EXTENSION[extension];
  if (named !== undefined && isTextual(named)) return named;
  const declared = declaredType?.split(';')[0]?.trim().toLowerCase();
  if (declared !== undefined && named === undefined && isTextual(declared)) return declared;
  return 'text/plain';
}

/** Types that say nothing but how a text is laid out, so that a name or a client may be believed. */
function isTextual(type: string): boolean {
  return [
    'text/plain',
    'text/markdown',
    'text/csv',
    'text/tab-separated-values',
    'application/x-ndjson',
  ].includes(type);
}

function isMail(head: string): boolean {
  const [headers = ''] = head.split('\n\n', 1);
  const lines = headers.split('\n').filter((line) => !/^\s/.test(line));
  const known = lines.filter((line) => MAIL_HEADER.test(line));
  return known.length >= 3 && lines.every((line) => /^[\w-]+:/.test(line) || line.startsWith('From '));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // text that looks like JSON at its start only
  }
}
