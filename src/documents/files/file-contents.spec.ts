import { text } from 'node:stream/consumers';
import { scopeOf } from '../../auth/scope.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import type { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentTextRepository } from '../../corpus/document-text.repository.js';
import type { PageRepository } from '../../pages/page.repository.js';
import type { ObjectStore } from '../../storage/object-store.js';
import { FileContents, FileReplaced, type OutgoingFile } from './file-contents.js';

describe('the text of a document as a file', () => {
  /** Returns the file of a text in parts. `isReplaced` tells whether another version has replaced the text. */
  function fileOf(parts: readonly string[], { isReplaced = (): boolean => false } = {}): OutgoingFile {
    const texts: Pick<DocumentTextRepository, 'partSizes' | 'parts'> = {
      partSizes: () =>
        Promise.resolve(
          isReplaced() ? [] : parts.map((part, index) => ({ part: index, bytes: Buffer.byteLength(part) })),
        ),
      parts: (_scope, _version, [first, last]) =>
        Promise.resolve(isReplaced() ? undefined : parts.slice(first, last + 1).join('')),
    };
    const contents = new FileContents(
      {} as DocumentRepository,
      texts as DocumentTextRepository,
      {} as ObjectStore,
      {} as PageRepository,
    );
    return contents.of(scopeOf('acme', ['read'], 'k'), {
      external_id: 'd',
      text_version: 2,
      status: 'completed',
      content_type: 'text/plain',
      filename: 'a.txt',
      storage_files: [],
      update_history: [{ version: 2, strategy: 'replace', timestamp: '', metadata_updated: false }],
    } as unknown as DocumentRow);
  }

  it('is sent part by part', async () => {
    const file = fileOf(['gulls ', 'und Möwen']);
    expect(await file.size()).toBe(16);
    expect(await text(await file.read())).toBe('gulls und Möwen');
    expect(await text(await file.read({ start: 4, end: 8 }))).toBe('s und');
  });

  it('fails to return a size once replaced', async () => {
    await expect(fileOf(['gulls'], { isReplaced: () => true }).size()).rejects.toBeInstanceOf(FileReplaced);
  });

  it('fails before the stream starts if it is replaced after its size was read', async () => {
    let looks = 0;
    const file = fileOf(['gulls'], { isReplaced: () => (looks += 1) > 2 });
    expect(await file.size()).toBe(5);
    await expect(file.read()).rejects.toBeInstanceOf(FileReplaced);
  });

  it('reads short parts together, from one version', async () => {
    let looks = 0;
    const stream = await fileOf(['gulls', ' and ', 'terns'], { isReplaced: () => (looks += 1) > 2 }).read();
    expect(await text(stream)).toBe('gulls and terns');
  });

  it('aborts when a long text is replaced between parts, which would mix versions', async () => {
    let looks = 0;
    const long = 'gull '.repeat(1_000_000);
    const stream = await fileOf([long, long], { isReplaced: () => (looks += 1) > 2 }).read();
    await expect(text(stream)).rejects.toBeInstanceOf(FileReplaced);
  });
});
