import { Readable } from 'node:stream';
import { fastify, type FastifyInstance } from 'fastify';
import { Unavailable } from '../../errors/index.js';
import { sendError } from '../../http/error.filter.js';
import { ObjectStore } from '../../storage/object-store.js';
import { FileDelivery } from './file-delivery.js';

const OUT_OF_USE = (): never => {
  throw new Error('not part of a delivery');
};

/** A store that knows of its object; whether it still gives it is the test's affair. */
class OneObject extends ObjectStore {
  readonly bucket = 'test';
  readonly put = OUT_OF_USE;
  readonly delete = OUT_OF_USE;
  readonly list = OUT_OF_USE;
  readonly deletePrefix = OUT_OF_USE;
  isDown = false;

  size(): Promise<number> {
    return Promise.resolve(5);
  }

  get(): Promise<Readable> {
    if (this.isDown) return Promise.reject(new Unavailable('The object store cannot be reached', 5));
    return Promise.resolve(Readable.from([Buffer.from('hello')]));
  }
}

describe('the delivery of a file', () => {
  const store = new OneObject();
  let server: FastifyInstance;
  beforeAll(async () => {
    server = fastify();
    server.setErrorHandler(sendError);
    const delivery = new FileDelivery(store);
    server.get('/file', (request, reply) =>
      delivery.send(request, reply, { key: 'k', contentType: 'application/pdf', filename: 'a.pdf' }),
    );
    await server.ready();
  });
  afterAll(() => server.close());

  it('has the headers of the file', async () => {
    store.isDown = false;
    const { statusCode, headers, body } = await server.inject('/file');
    expect([statusCode, body]).toEqual([200, 'hello']);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '5',
      'content-disposition': 'inline; filename=a.pdf',
    });
  });

  it('that the store fails has none of them', async () => {
    store.isDown = true;
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
