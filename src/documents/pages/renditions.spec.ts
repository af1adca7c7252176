import type { DataSource } from 'typeorm';
import { type ConvertedPdf, type PageRenderer, ParseFailure } from '#reader';
import type { Rendition } from '../../corpus/document-row.js';
import type { DocumentRepository } from '../../corpus/document.repository.js';
import type { ObjectTombstones } from '../../ingestion/object-tombstones.js';
import type { ObjectStore } from '../../storage/object-store.js';
import { until } from '../../../test/support/until.js';
import { type PagedFile, Renditions } from './renditions.js';

const FILE: PagedFile = {
  appId: 'default',
  documentId: 'd',
  key: 'default/d/1',
  contentType: 'application/msword',
  rendition: undefined,
};

class HastyRenditions extends Renditions {
  protected override waitMs(): number {
    return 1;
  }
}

describe('renditions', () => {
  let converted: string[];
  let stored: Map<string, string>;
  let recorded: Rendition[];
  let removed: string[];
  let isThere: boolean;
  let finish: (made: ConvertedPdf | Error) => void;

  function renditions(Kind = Renditions): Renditions {
    const files = {
      setRendition: (_: unknown, __: unknown, ___: string, rendition: Rendition) => {
        if (isThere) recorded.push(rendition);
        return Promise.resolve(isThere);
      },
    };
    const objects = {
      exists: (key: string) => Promise.resolve(stored.has(key)),
      getBytes: (key: string) => {
        converted.push(key);
        return Promise.resolve(Buffer.from('doc'));
      },
      put: (key: string, pdf: Uint8Array) => {
        stored.set(key, Buffer.from(pdf).toString());
        return Promise.resolve();
      },
    };
    const renderer = {
      canRender: () => Promise.resolve(true),
      toPdf: () =>
        new Promise((resolve, reject) => {
          finish = (made) => {
            if (made instanceof Error) reject(made);
            else resolve(made);
          };
        }),
    };
    const tombstones = {
      add: () => Promise.resolve(),
      cancel: () => Promise.resolve(true),
      deleteObjects: ({ key }: { key: string }) => {
        removed.push(key);
        return Promise.resolve(true);
      },
    };
    return new Kind(
      { transaction: (work: (manager: unknown) => unknown) => work(null) } as unknown as DataSource,
      files as unknown as DocumentRepository,
      objects as unknown as ObjectStore,
      renderer as unknown as PageRenderer,
      tombstones as unknown as ObjectTombstones,
    );
  }
  const isConverting = (): Promise<unknown> => until('the file is converted', () => converted.length > 0);
  const pdf = { pdf: Buffer.from('pdf'), pageCount: 2 };

  beforeEach(() => {
    converted = [];
    stored = new Map();
    recorded = [];
    removed = [];
    isThere = true;
  });

  it('are made once for all requests, and stored before they are recorded', async () => {
    const made = renditions();
    const asked = [made.keyOf(FILE), made.keyOf(FILE)];
    await isConverting();
    finish(pdf);
    expect(await Promise.all(asked)).toEqual(['default/d/1.pages.pdf', 'default/d/1.pages.pdf']);
    expect([converted, [...stored], recorded]).toEqual([
      ['default/d/1'],
      [['default/d/1.pages.pdf', 'pdf']],
      [{ pages: 2 }],
    ]);
    await made.keyOf({ ...FILE, rendition: { pages: 2 } });
    expect(converted).toHaveLength(1);
  });

  it('are waited for only for a while, and go on meanwhile', async () => {
    const made = renditions(HastyRenditions);
    await expect(made.keyOf(FILE)).rejects.toMatchObject({ status: 503, retryAfterSeconds: 3 });
    await isConverting();
    finish(pdf);
    await until('the PDF is recorded', () => recorded.length > 0);
    expect(converted).toHaveLength(1);
  });

  it('record that a file cannot be converted, but not that the service could not do it', async () => {
    const made = renditions();
    const asked = made.keyOf(FILE);
    await isConverting();
    finish(new Error('the reader ended'));
    await expect(asked).rejects.toThrow('the reader ended');
    expect(recorded).toEqual([]);
    const again = made.keyOf(FILE);
    await until('the file is converted again', () => converted.length > 1);
    finish(new ParseFailure('LibreOffice cannot read the file.'));
    await expect(again).rejects.toMatchObject({ status: 404, message: 'LibreOffice cannot read the file.' });
    expect(recorded).toEqual([{ error: 'LibreOffice cannot read the file.' }]);
    expect(
      await made.isPossible({ ...FILE, rendition: { error: 'LibreOffice cannot read the file.' } }),
    ).toBe(false);
  });

  it('are removed if the document was deleted meanwhile', async () => {
    const made = renditions();
    const asked = made.keyOf(FILE);
    await isConverting();
    isThere = false;
    finish(pdf);
    await expect(asked).rejects.toMatchObject({ status: 404 });
    expect(removed).toEqual(['default/d/1.pages.pdf']);
  });

  it('are refused at once when too many wait', async () => {
    const made = renditions(HastyRenditions);
    const asked = Array.from({ length: 32 }, (_, n) => made.keyOf({ ...FILE, key: `default/d/${n + 2}` }));
    const refused = made.keyOf(FILE);
    const reasons = (await Promise.allSettled([...asked, refused])).map(
      (one) => 'reason' in one && String(one.reason),
    );
    expect(reasons.filter((reason) => /Too many documents/.test(String(reason)))).toHaveLength(1);
  });
});
