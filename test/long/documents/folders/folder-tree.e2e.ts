import { fc } from '../../../support/properties.js';
import type { Client } from '../../../support/client.js';
import { Folders, type Folder } from '../../../support/folders.js';
import { Service } from '../../../support/service.js';
import { parentOf, PlainTree } from './plain-tree.js';

const RUNS = Number(process.env['FOLDER_RUNS'] ?? 40);

/**
 * Few names, so that operations collide; they include names that a wrong prefix, pattern, sort order or
 * encoding would confuse.
 */
const NAMES = ['a', 'b', 'a b', 'a%', 'move'];

const path = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
  .map((segments) => `/${segments.join('/')}`);
const document = fc.nat(9);

const operation = fc.oneof(
  fc.record({ do: fc.constant('create' as const), path }),
  fc.record({ do: fc.constant('ingest' as const), path: fc.option(path, { freq: 4 }) }),
  fc.record({ do: fc.constant('put' as const), path, document }),
  fc.record({ do: fc.constant('take out' as const), path, document }),
  fc.record({ do: fc.constant('take out of its own' as const), document }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant('move' as const), path, to: path }) },
  fc.record({ do: fc.constant('delete' as const), path, recursive: fc.boolean() }),
  fc.record({ do: fc.constant('list' as const) }),
  fc.record({ do: fc.constant('count' as const), path, depth: fc.integer({ min: -1, max: 2 }) }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

describe('a folder tree', () => {
  let service: Service;
  let tenants = 0;
  beforeAll(async () => {
    // Without a worker documents keep their status, so counts do not depend on progress.
    service = await Service.start({ WORKER: 'off' });
  });
  afterAll(() => service.stop());

  it('agrees with a tree in memory after the same operations', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 6, maxLength: 14, size: 'max' }),
        async (operations) => {
          const tree = new ComparedTree(await newTenant());
          for (const one of operations) await tree.apply(one);
          await tree.compare();
        },
      ),
      { numRuns: RUNS },
    );
  });

  async function newTenant(): Promise<Client> {
    tenants += 1;
    const key = { name: 'tree', scopes: ['read', 'write'], app_id: `tree-${tenants}` };
    return service.as(((await service.client.post('/keys', key)).json() as { key: string }).key);
  }
});

/** Applies operations to a tree of the service and to one in memory. */
class ComparedTree {
  private readonly plain = new PlainTree();
  private readonly folders: Folders;
  /** Ids of folders; moves do not change them. */
  private readonly ids = new Map<string, string>();
  /** Every document ever created. */
  private readonly documents: string[] = [];

  constructor(private readonly client: Client) {
    this.folders = new Folders(() => client);
  }

  async apply(one: Operation): Promise<void> {
    switch (one.do) {
      case 'create': {
        const { id, full_path: made } = await this.folders.create(one.path);
        expect([made, id]).toEqual([one.path, this.plain.has(one.path) ? this.ids.get(one.path) : id]);
        this.plain.create(one.path);
        await this.learnIds();
        return;
      }
      case 'ingest': {
        const answer = await this.client.post('/ingest/text', { content: 'A text.', folder_name: one.path });
        const record = answer.json() as { external_id: string; folder_path: string | null };
        expect([answer.status, record.folder_path]).toEqual([200, one.path]);
        this.documents.push(record.external_id);
        this.plain.ingest(record.external_id, one.path);
        await this.learnIds();
        return;
      }
      case 'put':
        return this.put(one.path, this.documents[one.document]);
      case 'take out':
        return this.takeOut(one.path, this.documents[one.document]);
      case 'take out of its own': {
        const id = this.documents[one.document];
        return this.takeOut(this.plain.placeOf(id ?? '') ?? '/a', id);
      }
      case 'move': {
        const answer = await this.client.post(`/folders/${encoded(one.path)}/move`, { new_path: one.to });
        const expected = this.plain.move(one.path, one.to);
        expect([one, answer.status]).toEqual([one, expected]);
        if (expected !== 200) return;
        expect((answer.json() as Folder).full_path).toBe(one.to);
        for (const [path, id] of [...this.ids]) {
          if (path !== one.path && !path.startsWith(`${one.path}/`)) continue;
          this.ids.delete(path);
          this.ids.set(one.to + path.slice(one.path.length), id);
        }
        await this.learnIds();
        return;
      }
      case 'delete': {
        const query = one.recursive ? '?recursive=true' : '';
        const answer = await this.client.delete(`/folders/${encoded(one.path)}${query}`);
        expect([one, answer.status]).toEqual([one, this.plain.delete(one.path, one.recursive)]);
        for (const path of this.ids.keys()) if (!this.plain.has(path)) this.ids.delete(path);
        return;
      }
      case 'list':
        expect(await this.folders.paths()).toEqual(this.plain.paths());
        return;
      case 'count':
        return this.count(one.path, one.depth);
    }
  }

  /** Compares everything visible of both trees. */
  async compare(): Promise<void> {
    const paths = this.plain.paths();
    const listed = await this.folders.list();
    expect(
      listed.map(({ id, full_path: path, name, depth, parent_id, child_count, document_ids }) => ({
        id,
        path,
        name,
        depth,
        parent_id,
        child_count,
        document_ids: [...document_ids].sort(),
      })),
    ).toEqual(
      paths.map((path) => ({
        id: this.ids.get(path),
        path,
        name: path.split('/').at(-1),
        depth: path.split('/').length - 1,
        parent_id: this.ids.get(parentOf(path) ?? '') ?? null,
        child_count: this.plain.children(path).length,
        document_ids: this.plain.within(path, 0),
      })),
    );
    const summaries = await this.folders.summaries();
    expect(summaries.map(({ full_path: path, doc_count: count }) => [path, count])).toEqual(
      paths.map((path) => [path, this.plain.within(path, 0).length]),
    );
    const details = await this.folders.details({ include_status_counts: true, include_documents: true });
    expect(
      details.map(({ folder, document_info: info }) => [
        folder.full_path,
        info?.total_count,
        info?.status_counts,
        info?.documents?.map(({ external_id: id }) => id).sort(),
      ]),
    ).toEqual(
      paths.map((path) => {
        const within = this.plain.within(path, 0);
        return [path, within.length, within.length === 0 ? {} : { processing: within.length }, within];
      }),
    );
    for (const path of this.plain.children(null)) await this.count(path, -1);
    for (const [index, id] of this.documents.entries()) {
      if (index > 2) break;
      const answer = await this.client.get(`/documents/${id}`);
      const place = this.plain.placeOf(id);
      expect(answer.status).toBe(place === undefined ? 404 : 200);
      if (place === undefined) continue;
      expect(answer.json()).toMatchObject({
        folder_name: place,
        folder_path: place,
        folder_id: place === null ? null : this.ids.get(place),
        metadata: { folder_name: place },
      });
    }
  }

  private async put(path: string, id: string | undefined): Promise<void> {
    const answer = await this.client.post(`/folders/${encoded(path)}/documents/${id ?? 'none'}`);
    expect([path, answer.status]).toEqual([path, this.plain.put(id, path)]);
  }

  private async takeOut(path: string, id: string | undefined): Promise<void> {
    const answer = await this.client.delete(`/folders/${encoded(path)}/documents/${id ?? 'none'}`);
    expect([path, answer.status]).toEqual([path, this.plain.takeOut(id, path)]);
  }

  private async count(path: string, depth: number): Promise<void> {
    const query = new URLSearchParams({ folder_name: path, folder_depth: String(depth) });
    const answer = await this.client.post(`/documents?${query.toString()}`, {
      include_total_count: true,
      include_folder_counts: true,
      fields: ['external_id'],
    });
    const list = answer.json() as {
      documents: { external_id: string }[];
      total_count: number;
      folder_counts: { folder: string; count: number }[];
    };
    const within = this.plain.within(path, depth);
    const counts = this.plain
      .paths()
      .map((folder) => ({
        folder,
        count: within.filter((id) => this.plain.placeOf(id) === folder).length,
      }))
      .filter(({ count }) => count > 0);
    expect([list.documents.map(({ external_id: id }) => id).sort(), list.total_count]).toEqual([
      within,
      within.length,
    ]);
    expect(list.folder_counts).toEqual(counts);
  }

  /** Learns the ids of new folders; existing folders must keep theirs. */
  private async learnIds(): Promise<void> {
    for (const { id, full_path: path } of await this.folders.list()) {
      expect([path, this.ids.get(path) ?? id]).toEqual([path, id]);
      this.ids.set(path, id);
    }
  }
}

/** Encodes a path in different ways, without its leading slash. */
function encoded(path: string): string {
  return path.slice(1).split('/').map(encodeURIComponent).join('/');
}
