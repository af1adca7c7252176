import type { DescribedRequest } from './described-request.js';

export const LANGUAGES = ['curl', 'python', 'typescript'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Matches an image inside a body. The generated code reads the image from a file with the matched extension. */
const IMAGE = /^data:image\/(\w+)[^;,]*;base64,/;

/** @param origin of the service, without a trailing slash */
export function toCode(request: DescribedRequest, language: Language, origin: string): string {
  switch (language) {
    case 'curl':
      return toCurl(request, origin);
    case 'python':
      return toPython(request, origin);
    case 'typescript':
      return toTypeScript(request, origin);
  }
}

function toCurl(request: DescribedRequest, origin: string): string {
  const { method, body, form } = request;
  const stream = isStream(body) ? ' --no-buffer' : '';
  const parts = [
    `curl${stream} ${shellQuoted(addressOf(request, origin))}`,
    '-H "Authorization: Bearer $LECTERN_API_KEY"',
    ...(method === (body === undefined && form === undefined ? 'GET' : 'POST') ? [] : [`-X ${method}`]),
    ...(body === undefined ? [] : [`--json ${shellBody(body)}`]),
    ...(form === undefined
      ? []
      : [
          `-F ${shellQuoted(`file=@"${form.file.replaceAll(/["\\]/g, '\\$&')}"`)}`,
          ...Object.entries(form.fields).map(
            ([name, value]) => `--form-string ${shellQuoted(`${name}=${value}`)}`,
          ),
        ]),
  ];
  return parts.join(' \\\n  ');
}

/** Images are too long for an argument, so the body becomes a here-document. */
function shellBody(body: object): string {
  if (!hasImage(body)) return shellQuoted(literal(body, JSON_TEXT));
  return `@- <<EOF\n${literal(body, HERE_DOCUMENT)}\nEOF`;
}

function toPython(request: DescribedRequest, origin: string): string {
  const { method, body, form } = request;
  const streams = isStream(body);
  const parts = [
    JSON.stringify(addressOf(request, origin)),
    'headers={"Authorization": f"Bearer {os.environ[\'LECTERN_API_KEY\']}"}',
    ...(body === undefined ? [] : [`json=${literal(body, PYTHON)}`]),
    ...(form === undefined
      ? []
      : [
          `files={"file": open(${JSON.stringify(form.file)}, "rb")}`,
          ...(Object.keys(form.fields).length === 0 ? [] : [`data=${literal(form.fields, PYTHON)}`]),
        ]),
    ...(streams ? ['stream=True'] : []),
  ];
  const call = `requests.${method.toLowerCase()}(\n    ${parts.map((part) => part.replaceAll('\n', '\n    ')).join(',\n    ')},\n)`;
  const use = streams
    ? 'for line in response.iter_lines(decode_unicode=True):\n    if line.startswith("data:"):\n        print(line[5:])'
    : 'print(response.json())';
  const imports = `${hasImage(body) ? 'import base64\n' : ''}import os\nimport requests`;
  return `${imports}\n\nresponse = ${call}\nresponse.raise_for_status()\n${use}`;
}

function toTypeScript({ call, body }: DescribedRequest, origin: string): string {
  return [
    ...(hasImage(body) ? ["import { readFile } from 'node:fs/promises';"] : []),
    "import { LecternClient } from '@lectern/client';",
    '',
    `const lectern = new LecternClient({ url: '${origin}', key: process.env.LECTERN_API_KEY });`,
    call,
  ].join('\n');
}

/** An argument of the TypeScript client. */
export function argumentText(value: unknown): string {
  return literal(value, TYPESCRIPT);
}

function addressOf({ path, query = {} }: DescribedRequest, origin: string): string {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
  ).toString();
  return `${origin}${path}${search === '' ? '' : `?${search}`}`;
}

function isStream(body: object | undefined): boolean {
  return body !== undefined && 'stream_response' in body && body.stream_response === true;
}

function hasImage(body: object | undefined): boolean {
  return (
    body !== undefined && Object.values(body).some((value) => typeof value === 'string' && IMAGE.test(value))
  );
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** JSON syntax of a language. */
interface Dialect {
  readonly scalar: (value: string | number | boolean | null) => string;
  /** Expression for a data URI of a file; unset: the data URI is written out. */
  readonly image?: (head: string, file: string) => string;
  readonly name: (name: string) => string;
  readonly indent: string;
  /** Space inside the braces of a single-line object. */
  readonly space: string;
  /** Separator after the last of several lines. */
  readonly lastComma: string;
}

const JSON_TEXT: Dialect = {
  scalar: (value) => JSON.stringify(value),
  name: (name) => JSON.stringify(name),
  indent: '  ',
  space: '',
  lastComma: '',
};

const HERE_DOCUMENT: Dialect = {
  ...JSON_TEXT,
  scalar: (value) => JSON.stringify(value).replaceAll(/[\\$`]/g, '\\$&'),
  image: (head, file) => `"${head}$(base64 < ${file} | tr -d '\\n')"`,
  name: (name) => JSON.stringify(name).replaceAll(/[\\$`]/g, '\\$&'),
};

const PYTHON: Dialect = {
  ...JSON_TEXT,
  scalar: (value) => {
    if (value === null) return 'None';
    if (typeof value === 'boolean') return value ? 'True' : 'False';
    return JSON.stringify(value);
  },
  image: (head, file) => `"${head}" + base64.b64encode(open("${file}", "rb").read()).decode()`,
  indent: '    ',
  lastComma: ',',
};

const TYPESCRIPT: Dialect = {
  scalar: (value) => {
    const text = JSON.stringify(value);
    return typeof value === 'string' && !/['"\\]/.test(text.slice(1, -1)) ? `'${value}'` : text;
  },
  image: (head, file) => `'${head}' + (await readFile('${file}', 'base64'))`,
  name: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)),
  indent: '  ',
  space: ' ',
  lastComma: ',',
};

/** Maximum length of a single-line value. */
const ONE_LINE = 70;

function literal(value: unknown, dialect: Dialect, indent = ''): string {
  const image = typeof value === 'string' ? IMAGE.exec(value) : null;
  if (image !== null && dialect.image !== undefined) return dialect.image(image[0], `page.${image[1]}`);
  if (typeof value !== 'object' || value === null)
    return dialect.scalar(value as string | number | boolean | null);
  const inner = indent + dialect.indent;
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((one) => literal(one, dialect, inner))
    : Object.entries(value).map(([name, one]) => `${dialect.name(name)}: ${literal(one, dialect, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (members.length === 0) return open + close;
  const space = isList ? '' : dialect.space;
  const line = `${open}${space}${members.join(', ')}${space}${close}`;
  if (indent.length + line.length <= ONE_LINE && !line.includes('\n')) return line;
  return `${open}\n${members.map((member) => inner + member).join(',\n')}${dialect.lastComma}\n${indent}${close}`;
}
