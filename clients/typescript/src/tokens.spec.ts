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
