import type { Answer } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { Folders, type Folder } from '../support/folders.js';
import { SharedService } from '../support/shared-service.js';

const DEEPEST = `/${Array.from({ length: 64 }, (_, level) => `l${level}`).join('/')}`;
const TOO_DEEP = `${DEEPEST}/more`;

describe('folders', () => {
  let service: SharedService;
  let folders: Folders;
  beforeAll(async () => {
    service = await SharedService.enter();
    folders = new Folders(() => service.client);
  });
  afterAll(() => service.stop());

  const pathsOf = (answer: Answer): string[] =>
    (answer.json() as Folder[]).map(({ full_path: path }) => path);

  describe('are listed in pages', () => {
    const all = ['/page', '/page/a', '/page/a/x', '/page/b', '/page/c', '/page-after'];
    beforeAll(async () => {
      for (const path of ['/page/a/x', '/page/b', '/page/c', '/page-after']) await folders.create(path);
      await new Documents(() => service.client).ingestText('In a.', { folder_name: '/page/a' });
    });

    it.each(['/folders', '/folders/summary'])('by %s, which links to the next page', async (route) => {
      const seen: string[] = [];
      let next: string | undefined = '?limit=2';
      while (next !== undefined) {
        const page: Answer = await service.client.get(`${route}${next}`);
        expect(pathsOf(page).length).toBeLessThanOrEqual(2);
        seen.push(...pathsOf(page));
        next = /^<(\?.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
      }
      expect(seen).toEqual([...all].sort((a, b) => (a < b ? -1 : 1)));
      expect(seen).toEqual(pathsOf(await service.client.get(route)));
    });

    it('by parent', async () => {
      const children = async (parent: string): Promise<string[]> =>
        pathsOf(await service.client.get(`/folders?parent_id=${encodeURIComponent(parent)}`));
      expect(await children('/page')).toEqual(['/page/a', '/page/b', '/page/c']);
      expect(await children((await folders.get('page/a')).id)).toEqual(['/page/a/x']);
      expect(await children('/page/b')).toEqual([]);
      expect(await children('/')).toEqual(['/page', '/page-after']);
      const unknown = await service.client.get('/folders?parent_id=/nowhere');
      expect([unknown.status, unknown.json()]).toEqual([404, { detail: 'Parent folder not found' }]);
    });

    it('with their details', async () => {
      const page = await folders.details({ skip: 1, limit: 2 });
      expect(page.map(({ folder }) => folder.full_path)).toEqual(['/page-after', '/page/a']);
      expect(page[1]).toMatchObject({ folder: { child_count: 1 }, document_info: { total_count: 1 } });
    });

    it.each(['skip=-1', 'limit=0', 'limit=1001'])('unless the page is not one: %s', async (query) => {
      const answer = await service.client.get(`/folders?${query}`);
      expect([answer.status, answer.json()]).toMatchObject([
        422,
        { detail: [{ loc: ['query', query.split('=')[0]] }] },
      ]);
    });
  });

  describe('have at most 64 levels', () => {
    beforeAll(() => folders.create(DEEPEST));

    const text = { content: 'A text.', filename: 'a.txt' };
    const form = (fields: Record<string, string>, file: string): FormData => {
      const data = new FormData();
      for (const [name, value] of Object.entries(fields)) data.set(name, value);
      data.set(file, new Blob(['A text.']), 'a.txt');
      return data;
    };
    const doors: readonly (readonly [string, readonly string[], () => Promise<Answer>])[] = [
      [
        'POST /folders',
        ['body', 'full_path'],
        () => service.client.post('/folders', { name: 'more', full_path: TOO_DEEP }),
      ],
      [
        'POST /folders with a name',
        ['body', 'name'],
        () => service.client.post('/folders', { name: TOO_DEEP }),
      ],
      [
        'POST /folders with a parent',
        ['body', 'name'],
        () => service.client.post('/folders', { name: 'more', parent_id: DEEPEST }),
      ],
      [
        'POST /ingest/text',
        ['body', 'folder_name'],
        () => service.client.post('/ingest/text', { ...text, folder_name: TOO_DEEP }),
      ],
      [
        'POST /ingest/file',
        ['body', 'folder_name'],
        () => service.client.post('/ingest/file', form({ folder_name: TOO_DEEP }, 'file')),
      ],
      [
        'POST /ingest/files',
        ['body', 'folder_name'],
        () => service.client.post('/ingest/files', form({ folder_name: TOO_DEEP }, 'files')),
      ],
      [
        'POST /folders/{folder}/move',
        ['body', 'new_path'],
        async () => {
          await folders.create('/moved');
          return service.client.post('/folders/moved/move', { new_path: TOO_DEEP });
        },
      ],
      [
        'POST /folders/{folder}/move of a parent',
        ['body', 'new_path'],
        async () => {
          await folders.create('/tall/er');
          return service.client.post('/folders/tall/move', { new_path: DEEPEST.replace(/\/l63$/, '/tall') });
        },
      ],
    ];
    it.each(doors)('at %s', async (_door, loc, call) => {
      const answer = await call();
      expect([answer.status, answer.json()]).toMatchObject([422, { detail: [{ loc }] }]);
      expect(answer.text).toMatch(/at most 64 levels/);
      expect(await folders.paths()).not.toContain(TOO_DEEP);
    });

    it('at the tool of MCP that adds a text', async () => {
      const answer = await service.client.post('/mcp', {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'add_document', arguments: { ...text, folder_name: TOO_DEEP } },
      });
      expect(answer.text).toMatch(/at most 64 levels, got 65/);
    });

    it('and are found, moved and deleted at the deepest level', async () => {
      expect(await folders.get(DEEPEST.slice(1))).toMatchObject({ depth: 64 });
      await folders.move(DEEPEST.slice(1), '/shallow');
      expect((await service.client.delete('/folders/shallow')).status).toBe(200);
    });
  });
});
