import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DescribedRequest } from './described-request.js';
import { argumentText, toCode } from './to-code.js';

const ORIGIN = 'http://127.0.0.1:8000';

const SEARCH: DescribedRequest = {
  method: 'POST',
  path: '/retrieve/chunks',
  body: { query: "keeper's", explain: true, filters: null },
  call: 'await lectern.retrieve({});',
};

describe('a request as code', () => {
  it('is quoted for a shell', () => {
    expect(toCode(SEARCH, 'curl', ORIGIN)).toBe(
      [
        "curl 'http://127.0.0.1:8000/retrieve/chunks' \\",
        '  -H "Authorization: Bearer $LECTERN_API_KEY" \\',
        `  --json '{"query": "keeper'\\''s", "explain": true, "filters": null}'`,
      ].join('\n'),
    );
  });

  it('names its method if it differs from the default of curl', () => {
    const code = toCode(
      { method: 'PATCH', path: '/chats/a/title', query: { title: 'a & b' }, call: '' },
      'curl',
      ORIGIN,
    );
    expect(code).toContain("'http://127.0.0.1:8000/chats/a/title?title=a+%26+b'");
    expect(code).toContain('-X PATCH');
    expect(toCode({ method: 'GET', path: '/chats', call: '' }, 'curl', ORIGIN)).not.toContain('-X');
  });

  it('sends a file as a form', () => {
    const upload: DescribedRequest = {
      method: 'POST',
      path: '/ingest/file',
      form: { file: 'a "b".pdf', fields: { metadata: '{"year":2025}' } },
      call: '',
    };
    const curl = toCode(upload, 'curl', ORIGIN);
    expect(curl).toContain(`-F 'file=@"a \\"b\\".pdf"'`);
    expect(curl).toContain(`--form-string 'metadata={"year":2025}'`);
    const python = toCode(upload, 'python', ORIGIN);
    expect(python).toContain('files={"file": open("a \\"b\\".pdf", "rb")}');
    expect(python).toContain('data={"metadata": "{\\"year\\":2025}"}');
  });

  it('uses the literals of Python', () => {
    expect(toCode(SEARCH, 'python', ORIGIN)).toContain(
      `json={"query": "keeper's", "explain": True, "filters": None},`,
    );
  });

  it('reads a stream line by line', () => {
    const stream = { ...SEARCH, body: { query: 'lamp', stream_response: true } };
    expect(toCode(stream, 'curl', ORIGIN)).toContain('curl --no-buffer');
    expect(toCode(stream, 'python', ORIGIN)).toContain('response.iter_lines');
  });

  it('contains the variable of the key, never the key', () => {
    for (const language of ['curl', 'python', 'typescript'] as const) {
      expect(toCode(SEARCH, language, ORIGIN)).toContain('LECTERN_API_KEY');
    }
  });

  it('is idiomatic TypeScript', () => {
    const body = {
      query: "It's",
      filters: { year: { $gte: 2024 }, 'a.b': ['x', null] },
      k: 4,
      note: 'y'.repeat(60),
    };
    expect(argumentText(body)).toBe(
      [
        '{',
        `  query: "It's",`,
        `  filters: { year: { $gte: 2024 }, "a.b": ['x', null] },`,
        '  k: 4,',
        `  note: '${'y'.repeat(60)}',`,
        '}',
      ].join('\n'),
    );
  });

  describe('with an image', () => {
    const image = Buffer.alloc(300_000, 'picture');
    const query_image = `data:image/png;base64,${image.toString('base64')}`;
    const body = { query_image, filters: { price: { $gte: 1 }, 'a`b': "it's \\ $(x) \n" } };
    const request = { ...SEARCH, body, call: `await lectern.retrieve(${argumentText(body)});` };
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'lectern-code-'));
      writeFileSync(join(folder, 'page.png'), image);
    });
    afterAll(() => {
      rmSync(folder, { recursive: true });
    });

    it('reads a file of any length in a shell', () => {
      // Replaces curl with a function that prints the body.
      const script = `curl() { cat; }\n${toCode(request, 'curl', ORIGIN)}`;
      const sent = execFileSync('bash', ['-c', script], { cwd: folder, maxBuffer: 1_000_000 });
      expect(JSON.parse(sent.toString())).toEqual(body);
    });

    it('reads the file in Python', () => {
      const code = toCode(request, 'python', ORIGIN);
      expect(code).toContain('import base64\nimport os\n');
      expect(code).toContain(
        '"query_image": "data:image/png;base64," + base64.b64encode(open("page.png", "rb").read()).decode(),',
      );
    });

    it('reads the file in TypeScript', () => {
      const code = toCode(request, 'typescript', ORIGIN);
      expect(code).toContain("import { readFile } from 'node:fs/promises';\n");
      expect(code).toContain(
        "query_image: 'data:image/png;base64,' + (await readFile('page.png', 'base64')),",
      );
    });
  });

  it('names the file by the type of the image', () => {
    const body = { query_image: 'data:image/jpeg;base64,AAAA' };
    expect(toCode({ ...SEARCH, body }, 'curl', ORIGIN)).toContain('base64 < page.jpeg |');
  });
});
