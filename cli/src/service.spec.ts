import { startFakeServer, type JsonAnswer } from '../../test/support/fake-server.js';
import { clientOf } from './service.js';

describe('the error of a refused key', () => {
  it.each<readonly [string, JsonAnswer, string]>([
    ['a detail', { json: { detail: 'The API key was revoked' } }, 'The API key was revoked'],
    ['JSON without a detail', { json: { error: 'blocked' } }, '{"error":"blocked"}'],
    ['a detail that is no text', { json: { detail: { code: 7 } } }, '{"detail":{"code":7}}'],
    ['JSON that is no object', { text: 'null' }, 'null'],
    ['the page of a proxy', { text: `<p>${'No. '.repeat(100)}` }, `<p>${'No. '.repeat(100)}`.slice(0, 200)],
    ['no body', { text: '' }, 'Forbidden'],
  ])('holds the status, the body and the source of the key for %s', async (_, answer, message) => {
    const server = await startFakeServer(() => ({ status: 403, ...answer }));
    try {
      const client = clientOf({ url: server.url, key: 'k', keyOrigin: 'the key came from --key' });
      await expect(client.folders.list()).rejects.toThrow(
        new Error(`403: ${message} (the key came from --key)`),
      );
    } finally {
      await server.close();
    }
  });
});
