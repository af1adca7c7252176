import { type PageRenderer, type PageView, ParseFailure } from '#reader';
import { scopeOf } from '../../auth/scope.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { runInContext } from '../../request/request-context.js';
import type { PageRepository } from '../../pages/page.repository.js';
import type { ObjectStore } from '../../storage/object-store.js';
import type { DocumentService } from '../document.service.js';
import { PageViews } from './page-views.js';
import type { Renditions } from './renditions.js';
import { until } from '../../../test/support/until.js';

const scope = scopeOf('default', ['read'], 'key');
const ROW = {
  external_id: 'd',
  status: 'completed',
  content_type: 'application/pdf',
  filename: 'a.pdf',
  storage_files: [{ key: 'default/d/1', bucket: 'local', version: 1, filename: 'a.pdf' }],
  update_history: [],
} as unknown as DocumentRow;

/** A renderer that completes a page when the spec tells it to. */
class HeldRenderer {
  readonly drawn: number[] = [];
  private readonly held = new Map<number, (view: PageView | Error) => void>();

  hasOwnPages(): boolean {
    return true;
  }

  view(_bytes: Uint8Array, _type: string, pageNumber: number): Promise<PageView> {
    this.drawn.push(pageNumber);
    return new Promise((resolve, reject) => {
      this.held.set(pageNumber, (view) => {
        if (view instanceof Error) reject(view);
        else resolve(view);
      });
    });
  }

  async finish(pageNumber: number, outcome?: Error): Promise<void> {
    await until(`page ${pageNumber} is drawn`, () => this.held.has(pageNumber));
    const png = new Uint8Array(12 * 2 ** 20);
    const end = this.held.get(pageNumber);
    this.held.delete(pageNumber);
    end?.(outcome ?? { pageNumber, pageCount: 9, width: 1, height: 1, png, words: [] });
  }
}

describe('the views of pages', () => {
  let renderer: HeldRenderer;
  let views: PageViews;
  beforeEach(() => {
    renderer = new HeldRenderer();
    views = new PageViews(
      { get: () => Promise.resolve(ROW) } as unknown as DocumentService,
      renderer as unknown as PageRenderer,
      { getBytes: () => Promise.resolve(Buffer.from('pdf')) } as unknown as ObjectStore,
      { list: () => Promise.resolve([]) } as unknown as PageRepository,
      {} as unknown as Renditions,
    );
  });
  const get = (page: number, signal?: AbortSignal): Promise<PageView> =>
    runInContext(signal, () => views.get(scope, 'd', page));

  it('are drawn once for concurrent requests, and cached', async () => {
    const asked = [get(1), get(1)];
    await renderer.finish(1);
    const [one, other] = await Promise.all(asked);
    expect(one?.png).toBe(other?.png);
    expect((await get(1)).png).toBe(one?.png);
    expect(renderer.drawn).toEqual([1]);
  });

  it('are cached up to a limit; the least recently used are evicted first', async () => {
    for (const page of [1, 2, 3]) {
      const asked = get(page);
      await renderer.finish(page);
      await asked;
    }
    await get(3);
    void get(1);
    await renderer.finish(1);
    expect(renderer.drawn).toEqual([1, 2, 3, 1]);
  });

  it('are not drawn when all their requests were aborted before their turn', async () => {
    const leaving = new AbortController();
    const first = [get(1), get(2)];
    const left = get(3, leaving.signal);
    const last = get(4);
    await until('two pages are drawn', () => renderer.drawn.length >= 2);
    leaving.abort(new Error('left'));
    await renderer.finish(1);
    await expect(left).rejects.toThrow('left');
    await renderer.finish(2);
    await renderer.finish(4);
    await Promise.all([...first, last]);
    expect(renderer.drawn).toEqual([1, 2, 4]);
  });

  it('are still drawn when only one of several requests is aborted', async () => {
    const leaving = new AbortController();
    const asked = [get(1), get(1, leaving.signal)];
    leaving.abort(new Error('left'));
    await renderer.finish(1);
    await expect(Promise.all(asked)).resolves.toHaveLength(2);
  });

  it('are a 404 with the reason if they cannot be drawn, and are tried again', async () => {
    const asked = get(1);
    const refused = expect(asked).rejects.toMatchObject({
      status: 404,
      message: 'Page 1 of the PDF is damaged.',
    });
    await renderer.finish(1, new ParseFailure('Page 1 of the PDF is damaged.'));
    await refused;
    void get(1).catch(() => undefined);
    await until('two pages are drawn', () => renderer.drawn.length >= 2);
  });
});
