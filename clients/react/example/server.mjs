import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { LecternClient } from '@lectern/client';

const {
  LECTERN_URL = 'http://127.0.0.1:8000',
  LECTERN_API_KEY,
  LECTERN_KEY_ID,
  TOKEN_SECONDS = '600',
  PORT = '5180',
} = process.env;
if (!LECTERN_API_KEY || !LECTERN_KEY_ID) throw new Error('Set LECTERN_API_KEY and LECTERN_KEY_ID');

const lectern = new LecternClient({ url: LECTERN_URL, key: LECTERN_API_KEY });

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' };
const page = await builtPage(join(import.meta.dirname, 'dist'));

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.writeHead(502).end();
  });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`Server listening at http://127.0.0.1:${server.address().port}`);
});

async function answer(request, response) {
  const { pathname } = new URL(request.url, 'http://localhost');
  if (request.method === 'POST' && pathname === '/token') {
    // An application checks here who is signed in, and binds the token to them: `end_user_id`, `folder_name`, `filters`.
    const { token } = await lectern.keys.token(LECTERN_KEY_ID, { expires_in: Number(TOKEN_SECONDS) });
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify({ token }));
    return;
  }
  const file = page.get(pathname === '/' ? '/index.html' : pathname);
  if (file === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': file.type }).end(file.bytes);
}

/** Reads the files of `npm run build`, by URL path. */
async function builtPage(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        const type = TYPES[extname(name)] ?? 'application/octet-stream';
        return [path.slice(folder.length).replaceAll('\\', '/'), { type, bytes: await readFile(path) }];
      }),
    ),
  );
}
