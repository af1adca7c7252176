/** The members of a Swagger UI request that are used here. The request consists of Immutable.js maps. */
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

/** Options with which Swagger UI shows every request as curl, JavaScript and Python. */
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
 * A plugin of Swagger UI that generates snippets. Snippets read the key from LECTERN_API_KEY, so that a snippet can be
 * shared without the key.
 *
 * NestJS sends the source text of this function to browsers, so the function must not use anything outside its body.
 */
export function snippetGenerators(ui: SwaggerUi): object {
  const isPairs = (body: unknown): body is Pairs =>
    typeof body === 'object' && body !== null && 'entrySeq' in body;
  const headersOf = (request: ShownRequest): (readonly [string, string])[] =>
    (request.get('headers')?.entrySeq().toArray() ?? []).map(([name, value]) => [name, String(value)]);
  const isForm = ([name, value]: readonly [string, string]): boolean =>
    /^content-type$/i.test(name) && value.startsWith('multipart/');
  /**
   * Returns the fields of a form. If a name is repeated, Swagger UI appends `_**[]` and a number to the name.
   */
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
      '"$1"', // the shell replaces a variable in double quotes, not in single quotes
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

  /** Converts JSON to Python. Strings and numbers are the same in both. */
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
