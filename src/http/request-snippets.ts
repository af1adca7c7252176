/** The used part of a request in Swagger UI, which is made of Immutable.js maps. */
interface ShownRequest {
  get(name: 'url' | 'method'): string;
  get(name: 'headers'): Pairs | undefined;
  get(name: 'body'): string | Pairs | File | undefined;
}

interface Pairs {
  entrySeq(): { toArray(): readonly (readonly [string, unknown])[] };
}

interface SwaggerUi {
  getSystem(): { readonly fn: { requestSnippetGenerator_curl_bash(request: ShownRequest): string } };
}

/** Options of Swagger UI: every request as curl, JavaScript and Python. */
export const requestSnippets = {
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl: { title: 'curl', syntax: 'bash' },
      javascript: { title: 'JavaScript', syntax: 'javascript' },
      python: { title: 'Python', syntax: 'python' },
    },
    languages: ['curl', 'javascript', 'python'],
  },
  plugins: [snippetGenerators],
};

/**
 * A plugin of Swagger UI. The snippets read the key from LECTERN_API_KEY, so that they can be shared.
 *
 * NestJS sends the source text of this function to browsers: it uses nothing outside of itself.
 */
export function snippetGenerators(ui: SwaggerUi): object {
  const isPairs = (body: unknown): body is Pairs =>
    typeof body === 'object' && body !== null && 'entrySeq' in body;
  const headersOf = (request: ShownRequest): (readonly [string, string])[] =>
    (request.get('headers')?.entrySeq().toArray() ?? []).map(([name, value]) => [name, String(value)]);
  const isForm = ([name, value]: readonly [string, string]): boolean =>
    /^content-type$/i.test(name) && value.startsWith('multipart/');
  /** Swagger UI numbers fields of one name behind this sign. */
  const fieldsOf = (body: Pairs): (readonly [string, unknown])[] =>
    body
      .entrySeq()
      .toArray()
      .map(([name, value]) => [name.split('_**[]')[0] ?? name, value]);
  const keyOf = (request: ShownRequest): string =>
    headersOf(request)
      .find(([name]) => name.toLowerCase() === 'authorization')?.[1]
      .replace(/^Bearer /i, '') ?? '';
  const withoutKey = (text: string, request: ShownRequest): string => {
    const key = keyOf(request);
    return key === '' ? text : text.replaceAll(key, '$LECTERN_API_KEY');
  };
  const quoted = (value: unknown): string => JSON.stringify(String(value));
  const indented = (text: string, spaces: number): string => text.replaceAll('\n', `\n${' '.repeat(spaces)}`);

  const curl = (request: ShownRequest): string =>
    withoutKey(ui.getSystem().fn.requestSnippetGenerator_curl_bash(request), request).replace(
      /'(Authorization: Bearer \$LECTERN_API_KEY)'/i,
      '"$1"', // in double quotes the shell replaces it
    );

  const javascript = (request: ShownRequest): string => {
    const body = request.get('body');
    const headers = headersOf(request)
      .filter((header) => !isForm(header))
      .map(([name, value]) =>
        name.toLowerCase() === 'authorization'
          ? `    Authorization: \`Bearer \${process.env.LECTERN_API_KEY}\`,`
          : `    ${quoted(name)}: ${quoted(value)},`,
      );
    const before: string[] = [];
    let sent: string | undefined;
    if (isPairs(body)) {
      const fields = fieldsOf(body);
      if (fields.some(([, value]) => value instanceof File))
        before.push("import { openAsBlob } from 'node:fs';", '');
      before.push('const form = new FormData();');
      for (const [name, value] of fields) {
        const given =
          value instanceof File
            ? `await openAsBlob(${quoted(value.name)}), ${quoted(value.name)}`
            : quoted(value);
        before.push(`form.append(${quoted(name)}, ${given});`);
      }
      sent = 'form';
    } else if (body instanceof File) {
      before.push("import { readFile } from 'node:fs/promises';", '');
      sent = `await readFile(${quoted(body.name)})`;
    } else if (body !== undefined && body !== '') sent = `JSON.stringify(${indented(body, 2)})`;
    const code = [
      ...before,
      `const response = await fetch(${quoted(request.get('url'))}, {`,
      `  method: ${quoted(request.get('method'))},`,
      ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
      ...(sent === undefined ? [] : [`  body: ${sent},`]),
      '});',
      'console.log(response.status, await response.text());',
    ];
    return withoutKey(code.join('\n'), request);
  };

  /** JSON as Python: its strings and numbers are the same. */
  const pythonOf = (json: string): string =>
    json.replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (token) => {
      const names: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };
      return names[token] ?? token;
    });

  const python = (request: ShownRequest): string => {
    const body = request.get('body');
    const headers = headersOf(request)
      .filter((header) => !isForm(header))
      .map(([name, value]) =>
        name.toLowerCase() === 'authorization'
          ? `        "Authorization": f"Bearer {os.environ['LECTERN_API_KEY']}",`
          : `        ${quoted(name)}: ${quoted(value)},`,
      );
    const sent: string[] = [];
    if (isPairs(body)) {
      const parts = fieldsOf(body).map(([name, value]) =>
        value instanceof File
          ? `        (${quoted(name)}, open(${quoted(value.name)}, "rb")),`
          : `        (${quoted(name)}, (None, ${quoted(value)})),`,
      );
      sent.push('    files=[', ...parts, '    ],');
    } else if (body instanceof File) sent.push(`    data=open(${quoted(body.name)}, "rb"),`);
    else if (body !== undefined && body !== '') sent.push(`    json=${indented(pythonOf(body), 4)},`);
    const code = [
      'import os',
      'import requests',
      '',
      'response = requests.request(',
      `    ${quoted(request.get('method'))},`,
      `    ${quoted(request.get('url'))},`,
      ...(headers.length === 0 ? [] : ['    headers={', ...headers, '    },']),
      ...sent,
      ')',
      'print(response.status_code, response.text)',
    ];
    return withoutKey(code.join('\n'), request);
  };

  return {
    fn: {
      requestSnippetGenerator_curl: curl,
      requestSnippetGenerator_javascript: javascript,
      requestSnippetGenerator_python: python,
    },
  };
}
