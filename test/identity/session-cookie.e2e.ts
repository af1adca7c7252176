import { BrowserCookies } from '../support/identity-provider/browser-cookies.js';
import { invited } from '../support/invitations.js';
import { Service } from '../support/service.js';

describe('the session of a browser', () => {
  it('is told alike when a link opens it, later, and in the audit log', async () => {
    const service = await Service.start();
    try {
      const { at, keyId, opened } = await invited(service, 'finn', ['read']);
      const session = opened.json() as { device_id: string };
      expect(session).toMatchObject({ name: 'finn', key_id: keyId });
      expect(session).toEqual((await at.get('/session')).json());
      const { entries } = (await service.client.get('/audit?limit=20')).json() as {
        entries: { action: string; subject: string }[];
      };
      const entry = entries.find(({ action }) => action === 'session.open');
      expect(entry?.subject).toBe(`${keyId} ${session.device_id}`);
    } finally {
      await service.stop();
    }
  });

  it('is found with TLS only in the cookie that no page without TLS can set', async () => {
    const service = await Service.start({ PUBLIC_URL: 'https://lectern.example' });
    try {
      const { at } = await invited(service, 'ann', ['read']);
      expect([...at.cookies.keys()]).toEqual(['__Host-lectern']);
      expect((await at.get('/folders')).status).toBe(200);
      const other = new BrowserCookies(service.url);
      other.cookies.set('lectern_session', at.cookies.get('__Host-lectern') ?? '');
      expect((await other.get('/folders')).status).toBe(401);
      expect((await other.send('DELETE', '/session')).status).toBe(200);
      expect((await at.get('/folders')).status).toBe(200);
    } finally {
      await service.stop();
    }
  });
});
