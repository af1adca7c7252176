import { jsonText, type DescribedRequest } from './described-request.js';

export const LANGUAGES = ['curl', 'python', 'typescript'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Data URIs of images make code unreadable. */
const LONGEST_TEXT = 200;

/** @param origin of the service, without a slash at the end */
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
    ...(body === undefined ? [] : [`--json ${shellQuoted(jsonText(shortened(body)))}`]),
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

function toPython(request: DescribedRequest, origin: string): string {
  const { method, body, form } = request;
  const streams = isStream(body);
  const parts = [
    JSON.stringify(addressOf(request, origin)),
    'headers={"Authorization": f"Bearer {os.environ[\'LECTERN_API_KEY\']}"}',
    ...(body === undefined ? [] : [`json=${pythonText(shortened(body))}`]),
    ...(form === undefined
      ? []
      : [
          `files={"file": open(${JSON.stringify(form.file)}, "rb")}`,
          ...(Object.keys(form.fields).length === 0 ? [] : [`data=${pythonText(form.fields)}`]),
        ]),
    ...(streams ? ['stream=True'] : []),
  ];
  const call = `requests.${method.toLowerCase()}(\n    ${parts.map((part) => part.replaceAll('\n', '\n    ')).join(',\n    ')},\n)`;
  const use = streams
    ? 'for line in response.iter_lines(decode_unicode=True):\n    if line.startswith("data:"):\n        print(line[5:])'
    : 'print(response.json())';
  return `import os\nimport requests\n\nresponse = ${call}\nresponse.raise_for_status()\n${use}`;
}

function toTypeScript({ call }: DescribedRequest, origin: string): string {
  return [
    "import { LecternClient } from '@lectern/client';",
    '',
    `const lectern = new LecternClient({ url: '${origin}', key: process.env.LECTERN_API_KEY });`,
    call,
  ].join('\n');
}

/** An argument of the TypeScript client. */
export function argumentText(value: unknown): string {
  return jsonText(shortened(value))
    .replaceAll(/"([A-Za-z_]\w*)":/g, '$1:')
    .replaceAll(/^\{(.+)\}$/g, '{ $1 }');
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

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function pythonText(value: unknown, indent = ''): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  const members = Array.isArray(value)
    ? value.map((one) => pythonText(one, inner))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonText(one, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const line = `${open}${members.join(', ')}${close}`;
  if (line.length <= 60 && !line.includes('\n')) return line;
  return `${open}\n${members.map((member) => `${inner}${member}`).join(',\n')},\n${indent}${close}`;
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.startsWith('data:') && value.length > LONGEST_TEXT ? `${value.slice(0, 40)}…` : value;
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one)]));
}
