import type { Hints } from '../parser.js';
import { CODE_BY_EXTENSION, extensionOf, TYPE_BY_EXTENSION } from './file-names.js';

/** How far into a text its kind shows. */
const HEAD = 4_096;

const HTML = /^(?:\s|<!--(?:(?!-->).)*-->|<\?xml[^>]*>)*<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])/is;
const XML = /^\s*<\?xml[\s?]/;
const MAIL_HEADER =
  /^(?:received|return-path|delivered-to|mime-version|message-id|from|to|date|subject|content-type|x-[\w-]+):/i;

/** The kind of a text: by its content where that is plain to see, else by its name, by which alone texts differ. */
export function textualType(text: string, { filename, declaredType }: Hints): string {
  const head = text.slice(0, HEAD);
  const extension = extensionOf(filename);
  const code = CODE_BY_EXTENSION[extension];
  if (code !== undefined) return code;
  if (HTML.test(head)) return 'text/html';
  if (XML.test(head)) return 'application/xml';
  const named = TYPE_BY_EXTENSION[extension];
  if (named !== undefined && isTextual(named)) return named;
  if (isMail(head)) return 'message/rfc822';
  if (/^\s*[{[]/.test(head) && isJson(text)) return 'application/json';
  const declared = declaredType?.split(';')[0]?.trim().toLowerCase();
  return declared !== undefined && named === undefined && isTextual(declared) ? declared : 'text/plain';
}

const TEXTUAL = new Set([
  'text/plain',
  'text/markdown',
  'text/html',
  'text/csv',
  'text/tab-separated-values',
  'application/json',
  'application/x-ndjson',
  'application/xml',
  'message/rfc822',
]);

export function isTextual(type: string): boolean {
  return TEXTUAL.has(type) || type.startsWith('text/');
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
