import { CODE_FORMATS, formatOf, FORMATS, promisedFormat } from '../../formats.js';
import type { Hints } from '../parser.js';

/** Characters that determine the kind of a text. */
const HEAD = 4_096;

const MAIL_HEADER =
  /^(?:received|return-path|delivered-to|mime-version|message-id|from|to|date|subject|content-type|x-[\w-]+):/i;

/** Returns the type of a text: from its content if that is unambiguous, otherwise from its name. */
export function textualType(text: string, { filename, declaredType }: Hints): string {
  const head = text.slice(0, HEAD);
  const named = promisedFormat(filename);
  if (named !== undefined && CODE_FORMATS.includes(named)) return named.type;
  const begun = FORMATS.find(({ begins }) => begins?.test(head) === true);
  if (begun !== undefined) return begun.type;
  if (named?.isText === true) return named.type;
  if (isMail(head)) return 'message/rfc822';
  if (/^\s*[{[]/.test(head) && isJson(text)) return 'application/json';
  const declared = formatOf(declaredType?.split(';')[0]?.trim().toLowerCase() ?? '');
  return named === undefined && declared?.isText === true ? declared.type : 'text/plain';
}

function isMail(head: string): boolean {
  const [headers = ''] = head.trimStart().split('\n\n', 1);
  const lines = headers.split('\n').filter((line) => !/^\s/.test(line));
  const known = lines.filter((line) => MAIL_HEADER.test(line));
  return known.length >= 3 && lines.every((line) => /^[\w-]+:/.test(line) || line.startsWith('From '));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // not JSON: the text only begins like JSON
  }
}
