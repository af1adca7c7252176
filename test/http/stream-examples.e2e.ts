import { readFileSync } from 'node:fs';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';
import { EventReader } from '../support/event-reader.js';

interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly responses: {
              readonly 200: {
                readonly content: { readonly 'text/event-stream': { readonly example: string } };
              };
            };
          }
        >
      >
    >
  >;
}

const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenApi;

describe('the example of a stream', () => {
  let home: Awaited<ReturnType<typeof CompletionService.shared>>;
  beforeAll(async () => {
    home = await CompletionService.shared();
    await new Documents(() => home.service.client).ingestText('Hold the power button for ten seconds.');
  });
  afterAll(() => home.stop());

  const example = (method: string, path: string): string =>
    paths[path]?.[method]?.responses[200].content['text/event-stream'].example ?? '';

  it.each([
    ['/query', { query: 'How is it reset?', stream_response: true, stream_sources: true }],
    ['/v1/chat/completions', { stream: true, messages: [{ role: 'user', content: 'How is it reset?' }] }],
    ['/v1/responses', { stream: true, input: 'How is it reset?' }],
  ])('of %s has the events and members of a real one, in its order', async (path, body) => {
    const model = path === '/query' ? {} : { model: 'lectern' };
    const response = await home.service.client.fetch('POST', path, { body: { ...model, ...body } });
    expect(shapeOf(example('post', path))).toEqual(shapeOf(await response.text()));
  });

  it('of /events has the events and members of a real one', async () => {
    const events = await EventReader.open(home.service.client, '/events');
    await events.until(({ type }) => type === 'stream.ready');
    await new Documents(() => home.service.client).ingestText('The light blinks.', {
      filename: 'manual.txt',
    });
    await events.until(({ type }) => type === 'document.completed');
    await events.close();
    const real = events.seen
      .map(({ id, ...event }) => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('');
    // A short text may be read without progress.
    expect(shapeOf(example('get', '/events'))).toEqual(expect.arrayContaining(shapeOf(real)));
  });
});

/** For each event its name or type and members; consecutive events of one shape count once. */
function shapeOf(stream: string): string[] {
  const shapes = stream
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const { event = '', data = '' } = Object.fromEntries(
        block.split('\n').map((line) => line.split(/: (.*)/, 2)),
      ) as Record<string, string>;
      if (!data.startsWith('{')) return data;
      const object = JSON.parse(data) as { readonly type?: string; readonly data?: object };
      const members = [object, object.data ?? {}].map((one) => Object.keys(one).sort().join(' '));
      return [event, object.type, ...members].join(' | ');
    });
  return shapes.filter((shape, place) => shape !== shapes[place - 1]);
}
