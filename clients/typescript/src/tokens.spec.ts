import { LecternClient, LecternError } from './index.js';

const chunks = (): Response => Response.json([]);
const refused = (): Response => Response.json({ detail: 'Invalid or expired API key' }, { status: 401 });

/** A client that makes `tokens` one after the other, and a service that accepts the tokens in `accepted`. */
function signedIn(tokens: readonly string[], accepted: readonly string[]) {
  const sent: string[] = [];
  const rest = [...tokens];
  const client = new LecternClient({
    url: 'http://lectern.test',
    retry: { retries: 0 },
    token: async () => {
      const next = rest.shift();
      if (next === undefined) throw new Error('Signed out');
      return Promise.resolve(next);
    },
    fetch: async (request) => {
      const token = request.headers.get('authorization') ?? '';
      sent.push(`${token} ${(await request.text()).slice(0, 20)}`);
      return accepted.some((one) => token === `Bearer ${one}`) ? chunks() : refused();
    },
  });
  return { client, sent };
}

const query = '{"query":"lamp"}';
const NOW = Date.UTC(2026, 10, 29);

/** An unsigned JWT that ends some seconds after `NOW`. */
const endingAfter = (seconds: number): string =>
  `.${base64Url(JSON.stringify({ exp: NOW / 1_000 + seconds, name: 'Ünal 🦉>>>???' }))}.`;
const base64Url = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

describe('tokens of an application', () => {
  it('are made for the first request and reused by later ones', async () => {
    const { client, sent } = signedIn(['one'], ['one']);
    await client.retrieve({ query: 'lamp' });
    await client.retrieve({ query: 'lamp' });
    expect(sent).toEqual([`Bearer one ${query}`, `Bearer one ${query}`]);
  });

  it('are replaced after a 401, once for concurrent requests', async () => {
    const { client, sent } = signedIn(['old', 'new'], ['new']);
    await Promise.all([client.retrieve({ query: 'lamp' }), client.retrieve({ query: 'lamp' })]);
    expect(sent.toSorted()).toEqual(['new', 'new', 'old', 'old'].map((token) => `Bearer ${token} ${query}`));
  });

  it('are an error if the second one is refused too', async () => {
    const { client, sent } = signedIn(['old', 'older', 'good'], ['good']);
    await expect(client.retrieve({ query: 'lamp' })).rejects.toMatchObject({ status: 401 });
    expect(sent).toHaveLength(2);
    await client.retrieve({ query: 'lamp' });
  });

  describe('that are JWT', () => {
    const clock = jest.spyOn(Date, 'now');
    const at = (seconds: number): void => void clock.mockReturnValue(NOW + 1_000 * seconds);
    afterAll(() => {
      clock.mockRestore();
    });

    it('are replaced shortly before their end, once for concurrent requests', async () => {
      at(0);
      const [old, young] = [endingAfter(600), endingAfter(1_200)];
      const { client, sent } = signedIn([old, young], [old, young]);
      await client.retrieve({ query: 'lamp' });
      at(569);
      await client.retrieve({ query: 'lamp' });
      at(571);
      await Promise.all([client.retrieve({ query: 'lamp' }), client.retrieve({ query: 'lamp' })]);
      expect(sent).toEqual([old, old, young, young].map((token) => `Bearer ${token} ${query}`));
    });

    it('are used until they are refused if they ended before they were made', async () => {
      at(700);
      const [old, young] = [endingAfter(600), endingAfter(650)];
      const { client, sent } = signedIn([old, young], [old, young]);
      for (let times = 0; times < 2; times += 1) await client.retrieve({ query: 'lamp' });
      expect(sent).toEqual([old, old].map((token) => `Bearer ${token} ${query}`));
    });
  });

  it('are a lost connection if they cannot be fetched', async () => {
    const client = new LecternClient({
      url: 'http://lectern.test',
      token: () => Promise.reject(new TypeError('Failed to fetch')),
    });
    await expect(client.retrieve({ query: 'lamp' })).rejects.toMatchObject({
      name: 'LecternError',
      status: 0,
    });
  });

  it('are replaced in a stream of events that ends with them, which nobody sees', async () => {
    const streams = [
      '{"type":"stream.ready"}|{"type":"error","status":401,"detail":"Invalid or expired API key"}',
      '{"type":"document.deleted"}',
    ].map((events) => events.split('|').map((event, id) => `id: ${id}\ndata: ${event}\n\n`));
    const sent: string[] = [];
    const client = new LecternClient({
      url: 'http://lectern.test',
      token: () => Promise.resolve(sent.length === 0 ? 'old' : 'new'),
      fetch: ({ headers }) => {
        const token = headers.get('authorization') ?? '';
        sent.push(`${token} ${headers.get('last-event-id') ?? ''}`);
        if (sent.length > 1 && token === 'Bearer old') return Promise.resolve(refused());
        return Promise.resolve(new Response(streams.shift()?.join('')));
      },
    });
    const onInterruption = jest.fn();
    const seen: string[] = [];
    for await (const { type } of client.events({ onInterruption })) {
      seen.push(type);
      if (type === 'document.deleted') break;
    }
    expect(seen).toEqual(['stream.ready', 'document.deleted']);
    expect(sent).toEqual(['Bearer old ', 'Bearer old 0', 'Bearer new 0']);
    expect(onInterruption).not.toHaveBeenCalled();
  });

  it('reject with the error of the application if it cannot make one', async () => {
    const { client, sent } = signedIn([], []);
    const failure = await client.retrieve({ query: 'lamp' }).catch((error: unknown) => error);
    expect(failure).toEqual(new Error('Signed out'));
    expect(failure).not.toBeInstanceOf(LecternError);
    expect(sent).toEqual([]);
  });

  it('are sent with uploads', async () => {
    const { client, sent } = signedIn(['old', 'new'], ['new']);
    await client.ingestFile(new Blob(['lit at dusk']), { filename: 'lamp.txt' });
    expect(sent.map((one) => one.slice(0, 10))).toEqual(['Bearer old', 'Bearer new']);
  });
});
