import type { DocumentRepository } from '../corpus/document.repository.js';
import { runInContext } from '../request/request-context.js';
import { StatusWatch } from './status-watch.js';

const key = (documentId: string) => ({ appId: 'tenant', documentId });

describe('waiting for documents', () => {
  const processing = new Set<string>();
  const looks: string[][] = [];
  let failure: Error | null;
  let watch: StatusWatch;
  beforeEach(() => {
    processing.clear();
    looks.length = 0;
    failure = null;
    const documents: Pick<DocumentRepository, 'processing'> = {
      processing: (keys) => {
        looks.push(keys.map(({ documentId }) => documentId));
        return failure === null ? Promise.resolve(new Set(processing)) : Promise.reject(failure);
      },
    };
    watch = new StatusWatch(documents as DocumentRepository);
  });
  afterEach(() => {
    watch.beforeApplicationShutdown();
  });

  it('ends for each when it is not processing any more, and looks at all of them together', async () => {
    processing.add('a').add('b');
    const ended: string[] = [];
    const waiting = ['a', 'b'].map((id) => watch.settled(key(id), 60).then(() => ended.push(id)));
    processing.delete('b');
    await waiting[1];
    expect(ended).toEqual(['b']);
    expect(looks.some((ids) => ids.join() === 'a,b')).toBe(true);
    processing.delete('a');
    await waiting[0];
    expect(looks.at(-1)).toEqual(['a']);
  });

  it('ends after the seconds that it was given', async () => {
    processing.add('a');
    await expect(watch.settled(key('a'), 0.01)).resolves.toBeUndefined();
  });

  it('ends when the service closes, and waits for nothing from then on', async () => {
    processing.add('a');
    const waiting = watch.settled(key('a'), 60);
    watch.beforeApplicationShutdown();
    await waiting;
    await expect(watch.settled(key('a'), 60)).resolves.toBeUndefined();
  });

  it('fails with what the database says', async () => {
    failure = new Error('the database is away');
    await expect(watch.settled(key('a'), 60)).rejects.toBe(failure);
  });

  it('ends when its client goes away', async () => {
    processing.add('a');
    const client = new AbortController();
    const waiting = runInContext(client.signal, () => watch.settled(key('a'), 60));
    client.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
  });
});
