import type { Client } from '../support/client.js';
import type { Service } from '../support/service.js';
import { type LOOKS, Visit } from './visit.js';

interface Person {
  readonly name: string;
  readonly id: string;
  /** Groups that the person is invited to; absent: the person has only a key. */
  readonly groups?: readonly string[];
}

interface PersonVisit {
  readonly visit: Visit;
  readonly client: Client;
}

const SCOPES = ['read', 'query', 'write'];

/** Signs a person without administrative rights in to the playground. */
export async function visitOf(
  service: Service,
  { name, id, groups }: Person,
  look: (typeof LOOKS)[number],
): Promise<PersonVisit> {
  if (groups !== undefined) {
    const people = [{ name, end_user_id: id, scopes: SCOPES, groups }];
    const invited = await service.client.post('/people', { people });
    expect(invited.status).toBe(200);
  }
  const made = await service.client.post('/keys', { name, scopes: SCOPES, end_user_id: id });
  const { key } = made.json() as { key: string };
  const visit = await Visit.start(service.url, key, look);
  await visit.signIn(key);
  return { visit, client: service.as(key) };
}
