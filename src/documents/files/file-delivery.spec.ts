import { Readable } from 'node:stream';
import { fastify, type FastifyInstance } from 'fastify';
import { Unavailable } from '../../errors/index.js';
import { sendError } from '../../http/error.filter.js';
import { FileReplaced, type OutgoingFile } from './file-contents.js';
import { sendFile } from './file-delivery.js';

describe('the delivery of a file', () => {
  let storeIsDown: boolean;
  const file: OutgoingFile = {
    id: 'k',
    contentType: 'application/pdf',
    filename: 'a.pdf',
    size: () => Promise.resolve(5),
    read: () =>
      storeIsDown
        ? Promise.reject(new Unavailable('The object store cannot be reached', 5))
        : Promise.resolve(Readable.from([Buffer.from('hello')])),
  };
  const replaced: OutgoingFile = { ...file, size: () => Promise.reject(new FileReplaced()) };
  const replacedLater: OutgoingFile = { ...file, read: () => Promise.reject(new FileReplaced()) };
  let server: FastifyInstance;
  beforeAll(async () => {
    server = fastify();
    server.setErrorHandler(sendError);
    server.get('/file', (request, reply) => sendFile(request, reply, () => Promise.resolve(file)));
    server.get('/replaced', (request, reply) => {
      const found = [replaced, replacedLater, file].values();
      return sendFile(request, reply, () => Promise.resolve(found.next().value ?? file));
    });
    await server.ready();
  });
  afterAll(() => server.close());

  it('has the headers of the file', async () => {
    storeIsDown = false;
    const { statusCode, headers, body } = await server.inject('/file');
    expect([statusCode, body]).toEqual([200, 'hello']);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '5',
      'content-disposition': 'inline; filename=a.pdf',
    });
  });

  it('sends the current file if it was replaced meanwhile', async () => {
    storeIsDown = false;
    const { statusCode, headers, body } = await server.inject('/replaced');
    expect([statusCode, headers['content-length'], body]).toEqual([200, '5', 'hello']);
  });

  it('sends no file headers if the store fails', async () => {
    storeIsDown = true;
    const { statusCode, headers, body } = await server.inject({
      url: '/file',
      headers: { range: 'bytes=0-1' },
    });
    expect([statusCode, JSON.parse(body)]).toEqual([503, { detail: 'The object store cannot be reached' }]);
    expect(Object.keys(headers).sort()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'date',
      'retry-after',
    ]);
  });
});
