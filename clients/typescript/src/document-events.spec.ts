import { inFakeTime } from '../../../test/support/in-fake-time.js';
import { LecternClient, type LecternError } from './index.js';

const wire = (id: number, type: string): Uint8Array =>
  new TextEncoder().encode(`id: ${id}\ndata: ${JSON.stringify({ type })}\n\n`);

describe('events', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('go on behind the last one on another connection if nothing arrives for 45 seconds', async () => {
    const asked: (string | null)[] = [];
    const client = new LecternClient({
      url: 'http://lectern.test',
      fetch: ({ headers }) => {
        asked.push(headers.get('last-event-id'));
        const event = asked.length === 1 ? wire(4, 'stream.ready') : wire(5, 'document.created');
        // It stays open, as one whose network is gone.
        const body = new ReadableStream<Uint8Array>({
          start: (out) => {
            out.enqueue(event);
          },
        });
        return Promise.resolve(new Response(body));
      },
    });
    const failures: LecternError[] = [];
    const onInterruption = (failure: LecternError): void => void failures.push(failure);
    const seen: string[] = [];
    const follow = async (): Promise<void> => {
      for await (const { type } of client.events({ onInterruption })) {
        seen.push(type);
        if (type === 'document.created') break;
      }
    };
    await inFakeTime(follow());
    expect(seen).toEqual(['stream.ready', 'document.created']);
    expect(asked).toEqual([null, '4']);
    expect(failures).toMatchObject([{ status: 0 }]);
  });
});
