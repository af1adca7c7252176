import type { Hints } from '../parser.js';

/**
 * Expected content types by file extension. DOC, XLS, PPT and RTF are omitted, because many programs save other formats
 * under these extensions.
 */
export const TYPE_BY_EXTENSION: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  text: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  markdown: 'text/markdown',
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'text/html',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
  ipynb: 'application/x-ipynb+json',
  xml: 'application/xml',
  eml: 'message/rfc822',
  msg: 'application/vnd.ms-outlook',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  epub: 'application/epub+zip',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  bmp: 'image/bmp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
};

/** Source code and configuration: line breaks are significant. */
export const CODE_BY_EXTENSION: Readonly<Record<string, string>> = {
  bash: 'text/x-shellscript',
  c: 'text/x-c',
  cc: 'text/x-c++',
  clj: 'text/x-clojure',
  cpp: 'text/x-c++',
  cs: 'text/x-csharp',
  css: 'text/css',
  cxx: 'text/x-c++',
  dart: 'text/x-dart',
  ex: 'text/x-elixir',
  exs: 'text/x-elixir',
  go: 'text/x-go',
  h: 'text/x-c',
  hpp: 'text/x-c++',
  hs: 'text/x-haskell',
  ini: 'text/x-ini',
  java: 'text/x-java',
  js: 'text/javascript',
  jsx: 'text/javascript',
  kt: 'text/x-kotlin',
  lua: 'text/x-lua',
  m: 'text/x-objectivec',
  mjs: 'text/javascript',
  ml: 'text/x-ocaml',
  php: 'text/x-php',
  pl: 'text/x-perl',
  py: 'text/x-python',
  r: 'text/x-r',
  rb: 'text/x-ruby',
  rs: 'text/x-rust',
  scala: 'text/x-scala',
  sh: 'text/x-shellscript',
  sql: 'text/x-sql',
  swift: 'text/x-swift',
  toml: 'text/x-toml',
  ts: 'text/x-typescript',
  tsx: 'text/x-typescript',
  vue: 'text/x-vue',
  yaml: 'text/x-yaml',
  yml: 'text/x-yaml',
};

/** The lower-case extension without its dot; empty if there is no extension. */
export function extensionOf(filename: string | null | undefined): string {
  return /\.([^./\\]+)$/.exec(filename ?? '')?.[1]?.toLowerCase() ?? '';
}

/** Characters that determine the kind of a text. */
const HEAD = 4_096;

const HTML = /^(?:\s|<!--(?:(?!-->).)*-->|<\?xml[^>]*>)*<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])/is;
const XML = /^\s*<\?xml[\s?]/;
const MAIL_HEADER =
  /^(?:received|return-path|delivered-to|mime-version|message-id|from|to|date|subject|content-type|x-[\w-]+):/i;

/** Returns the type of a text: from its content if that is unambiguous, otherwise from its name. */
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
  'application/x-ipynb+json',
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
    return false; // not JSON: the text only begins like JSON
  }
}

/** Returns the content type of the extension of a file name; undefined for an unknown extension. */
export function promisedBy(filename: string | null | undefined): string | undefined {
  const extension = extensionOf(filename);
  return TYPE_BY_EXTENSION[extension] ?? CODE_BY_EXTENSION[extension];
}
