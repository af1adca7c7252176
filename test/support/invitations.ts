import type { Answer, Client } from './client.js';
import { BrowserCookies } from './identity-provider/browser-cookies.js';
import type { Service } from './service.js';

/** Makes a key for a person. */
export async function keyOf(
  admin: Client,
  person: string,
  scopes: readonly string[],
): Promise<{ readonly id: string; readonly key: string }> {
  const answer = await admin.post('/keys', { name: person, scopes, end_user_id: person });
  expect(answer.status).toBe(200);
  return answer.json() as { id: string; key: string };
}

/** Opens the link of an answer in a browser. */
export function openLink(at: BrowserCookies, link: Answer): Promise<Answer> {
  const code = (link.json() as { url: string }).url.split('/').at(-1);
  return at.send('POST', '/session', { body: { code } });
}

/** Signs a new person in with an invitation. */
export async function invited(
  service: Service,
  person: string,
  scopes: readonly string[],
): Promise<{ readonly at: BrowserCookies; readonly keyId: string; readonly opened: Answer }> {
  const { id: keyId } = await keyOf(service.client, person, scopes);
  const at = new BrowserCookies(service.url);
  const opened = await openLink(at, await service.client.post(`/keys/${keyId}/sign_in_link`));
  expect(opened.status).toBe(200);
  return { at, keyId, opened };
}
