import type { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import { scopeOf } from '../auth/scope.js';
import { runInContext } from '../request/request-context.js';
import { Draining } from '../http/draining.js';
import { Waits } from '../http/waits.js';
import { DocumentService } from './document.service.js';

const scope = scopeOf('tenant', ['read'], 'key');
const ID = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';

describe('waiting for a document', () => {
  let looks: number;
  let settledAt: number;
  let failure: Error | null;
  let draining: Draining;
  let service: DocumentService;
  beforeEach(() => {
    [looks, settledAt, failure] = [0, Infinity, null];
    const documents: Pick<DocumentRepository, 'find'> = {
      find: () => {
        looks += 1;
        if (failure !== null) return Promise.reject(failure);
        const row = { status: looks >= settledAt ? 'completed' : 'processing', progress: null };
        return Promise.resolve(row as DocumentRow);
      },
    };
    draining = new Draining();
    service = new DocumentService(documents as DocumentRepository, new Waits(draining));
  });

  it('ends when the document is no longer processing', async () => {
    settledAt = 3;
    expect((await service.getSettled(scope, ID, 60)).status).toBe('completed');
    expect(looks).toBe(3);
  });

  it('ends after the given number of seconds', async () => {
    expect((await service.getSettled(scope, ID, 1)).status).toBe('processing');
    expect(looks).toBeGreaterThan(1);
    looks = 0;
    await service.getSettled(scope, ID, 0);
    expect(looks).toBe(1);
  });

  it('ends when the service closes; later waits end at once', async () => {
    const waiting = service.getSettled(scope, ID, 60);
    await draining.beforeApplicationShutdown();
    expect((await waiting).status).toBe('processing');
    expect((await service.getSettled(scope, ID, 60)).status).toBe('processing');
  });

  it('fails with the error of the database', async () => {
    failure = new Error('the database is away');
    await expect(service.getSettled(scope, ID, 60)).rejects.toBe(failure);
  });

  it('ends when the client disconnects', async () => {
    const client = new AbortController();
    const waiting = runInContext(client.signal, () => service.getSettled(scope, ID, 60));
    client.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
  });
});
