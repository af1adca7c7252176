import fc from 'fast-check';
import type { Client } from '../support/client.js';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';
import type { Service } from '../support/service.js';
import { listings, searches } from './access-property/answers.js';
import {
  type Change,
  changes,
  FOLDERS,
  Model,
  type Modelled,
  PEOPLE,
  texts,
} from './access-property/model.js';

/** A tenant, and the key of its administrator. */
interface Tenant {
  readonly admin: Client;
  readonly site: string;
}

describe('random documents, lists, groups and changes', () => {
  let models: CompletionService;
  let service: Service;
  let tenants = 0;

  const newTenant = async (groups: Model['members']): Promise<Tenant> => {
    const name = `team${(tenants += 1)}`;
    const made = await service.client.post('/cloud/generate_uri', { name });
    const admin = service.as(/:([\w.-]+)@/.exec((made.json() as { uri: string }).uri)?.[1] ?? null);
    for (const [id, members] of groups) await admin.post('/groups', { id, members: [...members] });
    const site = await admin.post('/keys', { name: 'site', scopes: ['read', 'query'] });
    return { admin, site: (site.json() as { id: string }).id };
  };
  const keyOf = async ({ admin }: Tenant, person: string): Promise<Client> => {
    // A new key sees the groups at once.
    const made = await admin.post('/keys', { name: 'k', scopes: ['read', 'query'], end_user_id: person });
    return service.as((made.json() as { key: string }).key);
  };
  const tokenOf = async ({ admin, site }: Tenant, person: string, bound: object): Promise<Client> => {
    const made = await admin.post(`/keys/${site}/token`, { end_user_id: person, ...bound });
    return service.as((made.json() as { token: string }).token);
  };
  const ingest = async ({ admin }: Tenant, document: Modelled): Promise<string> => {
    const { name: filename, text, kind, owner, folder, lists } = document;
    const stored = await new Documents(() => admin).ingestText(text, {
      filename,
      metadata: { kind },
      folder_name: folder,
      end_user_id: owner,
      ...(lists === null ? {} : { access_control: lists }),
    });
    return stored.external_id;
  };
  /** A tenant that holds only these documents and folders of the model. */
  const tenantOf = async (
    model: Model,
    documents: readonly Modelled[],
    folders: readonly string[],
  ): Promise<Tenant> => {
    const tenant = await newTenant(model.members);
    const paths = new Set([...folders, ...documents.map(({ folder }) => folder)]);
    for (const path of FOLDERS.filter((one) =>
      [...paths].some((other) => `${other}/`.startsWith(`${one}/`)),
    )) {
      const lists = model.folders.get(path) ?? null;
      await tenant.admin.post('/folders', {
        name: path,
        ...(lists === null ? {} : { access_control: lists }),
      });
    }
    await Promise.all(documents.map((document) => ingest(tenant, document)));
    return tenant;
  };

  beforeAll(async () => {
    models = await CompletionService.start({ LLM_MODEL: 'extractive' });
    ({ service } = models);
  });
  afterAll(() => models.stop());

  it('answer each person and token as a tenant that holds only what it may read', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.array(changes, { minLength: 4, maxLength: 12 }), async (contents, steps) => {
        const model = new Model(contents);
        const whole = await newTenant(model.members);
        const ids: string[] = [];
        for (const document of model.documents) ids.push(await ingest(whole, document));
        for (const step of steps) {
          model.apply(step);
          await send(whole.admin, ids, step);
        }
        for (const person of PEOPLE) {
          const readable = new Set(model.readable(person));
          const documents = model.documents.filter((_, at) => readable.has(at));
          const alone = await tenantOf(model, documents, model.readableEmpty(person));
          const [here, there] = [await keyOf(whole, person), await keyOf(alone, person)];
          const shown = { ...(await listings(here)), ...(await searches(here)) };
          const expected = { ...(await listings(there)), ...(await searches(there)) };
          expect([person, shown]).toEqual([person, expected]);
        }
        for (const [bound, isInside] of BOUNDS) {
          const person = PEOPLE[0];
          const readable = new Set(model.readable(person));
          const documents = model.documents.filter((one, at) => readable.has(at) && isInside(one));
          const alone = await tenantOf(model, documents, []);
          const shown = await searches(await tokenOf(whole, person, bound));
          expect([bound, shown]).toEqual([bound, await searches(await keyOf(alone, person))]);
        }
      }),
      { numRuns: Number(process.env['ACCESS_RUNS'] ?? 4), seed: 20_261_128, endOnFailure: true },
    );
  });
});

/** Bounds of tokens, and the documents inside. */
const BOUNDS: readonly (readonly [object, (document: Modelled) => boolean])[] = [
  [{ folder_name: '/a' }, ({ folder }) => folder.startsWith('/a')],
  [{ filters: { kind: 'even' } }, ({ kind }) => kind === 'even'],
];

async function send(owner: Client, ids: readonly string[], change: Change): Promise<void> {
  const id = 'at' in change ? ids[change.at] : undefined;
  const answer = await (() => {
    switch (change.kind) {
      case 'document':
        return owner.call('PATCH', `/documents/${id}`, { body: { access_control: change.lists } });
      case 'owner':
        return owner.call('PATCH', `/documents/${id}`, { body: { end_user_id: change.owner } });
      case 'folder':
        return owner.call('PATCH', `/folders${change.folder}`, { body: { access_control: change.lists } });
      case 'move':
        return owner.post(`/folders${change.folder}/documents/${id}`);
      case 'group':
        return change.joins
          ? owner.post(`/groups/${change.group}/members`, { members: [change.person] })
          : owner.delete(`/groups/${change.group}/members/${change.person}`);
    }
  })();
  const isAbsentMember = change.kind === 'group' && !change.joins && answer.status === 404;
  if (answer.status !== 200 && !isAbsentMember) throw new Error(`${JSON.stringify(change)}: ${answer.text}`);
}
