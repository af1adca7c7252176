import { type Answer, type CallOptions, Client } from '../support/client.js';
import { TOKEN_USE_NAMES, type TokenUse } from '../../src/auth/token-policy.js';
import { CompletionService } from '../support/completion-service.js';
import { describedRoutes, type DescribedRoute } from '../support/described-routes.js';
import { Documents } from '../support/documents.js';
import { FOR_TOKENS, MAKES, OPERATIONS, OTHERS, type Operation } from './access-table/operations.js';
import {
  type Caller,
  CALLERS,
  type Kind,
  addingTo,
  lineOf,
  TABLE,
  type Whose,
} from './access-table/table.js';
import { type Thing, Things } from './access-table/things.js';
import { shapeOf, unknownLike } from './access-table/unknown.js';

const CALLER_NAMES = Object.keys(CALLERS) as Caller[];
const ROUTES = new Map(describedRoutes().map((route) => [`${route.method} ${route.path}`, route]));
/** Things of administrators are of nobody else. */
const WHOSE = (kind: Kind): readonly Whose[] =>
  ['key', 'group', 'usage'].includes(kind) ? ['of the tenant'] : ['of a person', 'of the tenant'];
const CONCURRENCY = 12;

const ADMINISTRATORS: readonly Caller[] = [
  'an administrator without a person',
  'an invited administrator',
  'another tenant',
];
/** The scopes of a token; null: the caller has a key. */
function usesOf(caller: Caller): readonly TokenUse[] | null {
  if (!caller.startsWith('a token')) return null;
  return caller.includes('all scopes') ? TOKEN_USE_NAMES : ['read', 'query'];
}

function scopesOf(caller: Caller): readonly string[] {
  return ['read', 'query', 'write', ...(ADMINISTRATORS.includes(caller) ? ['admin'] : [])];
}

/** Callers from whom private things are hidden. */
const HIDDEN_FROM: readonly Caller[] = [
  'a stranger in the tenant',
  'an invited administrator',
  'an application for a stranger',
  'another tenant',
];

/** A client of an application that acts for a person and groups, by the query string of every request. */
class ActingClient extends Client {
  constructor(
    base: string,
    key: string,
    private readonly as: string,
  ) {
    super(base, key);
  }

  override fetch(method: string, path: string, options?: CallOptions): Promise<Response> {
    return super.fetch(method, `${path}${path.includes('?') ? '&' : '?'}${this.as}`, options);
  }
}

/** The cells of a row of the matrix: an outcome for each kind of caller. */
type Row = Readonly<Record<string, string>>;

interface Case {
  readonly name: string;
  readonly route: DescribedRoute;
  readonly operation: Operation;
  readonly whose: Whose;
}

const CASES: readonly Case[] = Object.entries(OPERATIONS).flatMap(([name, operations]) =>
  operations.flatMap((operation, at) =>
    WHOSE(operation.on).map((whose) => {
      const route = ROUTES.get(name);
      if (route === undefined) throw new Error(`no operation ${name}`);
      const which = operations.length > 1 ? ` (${at + 1})` : '';
      return { name: `${name}${which} on a ${operation.on} ${whose}`, route, operation, whose };
    }),
  ),
);

describe('who may do what', () => {
  let models: CompletionService;
  let clients: Readonly<Record<Caller, Client>>;
  let things: Things;
  const rows = new Map<string, Row>();
  const ofOneScope = new Map<TokenUse, Client>();
  const looks = new Map<string, Promise<Thing>>();
  const lookOf = ({ operation, whose }: Case): Promise<Thing> => {
    const kind = operation.with ?? operation.on;
    const key = `${kind} ${whose}`;
    const look = looks.get(key) ?? things.make(kind, whose);
    looks.set(key, look);
    return look;
  };

  /** Whether the permissions of the caller reach the operation at all. */
  const reaches = (caller: Caller, { method, path, scopes: needed }: DescribedRoute): boolean => {
    const uses = usesOf(caller);
    if (uses !== null) return FOR_TOKENS[`${method} ${path}`]?.some((use) => uses.includes(use)) ?? false;
    return needed?.some((scope) => scopesOf(caller).includes(scope)) ?? true;
  };
  const expectedOf = (caller: Caller, { route, operation, whose }: Case): string => {
    if (!reaches(caller, route)) return '403';
    const uses = usesOf(caller);
    if (uses !== null && operation.tool !== undefined && !uses.includes(operation.tool)) return 'not shown';
    const line = lineOf(caller, operation.on, whose);
    if (operation.needs === 'adds' && caller.includes('bound to another folder')) return '403';
    if (operation.needs === 'adds') return String(addingTo(operation.on, whose, line));
    if (operation.needs !== 'shows') return String(TABLE[line][operation.needs]);
    return TABLE[line].reads === 200 ? 'shown' : 'not shown';
  };
  const send = (
    client: Client,
    { method, path }: DescribedRoute,
    { query, body: given }: Operation,
    thing: Thing,
  ): Promise<Answer> => {
    const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => thing[name] ?? `no ${name}`);
    const body: object | undefined = typeof given === 'function' ? (given(thing) as object) : given;
    return client.call(method, query === undefined ? at : `${at}?${query}`, {
      ...(body === undefined ? {} : { body }),
    });
  };
  const outcomeOf = async (
    client: Client,
    route: DescribedRoute,
    operation: Operation,
    thing: Thing,
  ): Promise<string> => {
    const { needs, marker, verdict } = operation;
    const { status, text } = await send(client, route, operation, thing);
    if (needs !== 'shows' || status !== 200) return String(verdict?.(status, text) ?? status);
    return text.includes(marker?.(thing) ?? '') ? 'shown' : 'not shown';
  };

  /** Fills the row of an operation on a thing: by callers who are let only look at once, by others one after the other. */
  const fill = async (one: Case, look: Thing): Promise<void> => {
    const { route, operation, whose } = one;
    const cells: Record<string, string> = {};
    const isSafe = (caller: Caller): boolean =>
      operation.needs === 'reads' || operation.needs === 'shows' || expectedOf(caller, one) !== '200';
    await Promise.all(
      CALLER_NAMES.filter(isSafe).map(async (caller) => {
        cells[caller] = await outcomeOf(clients[caller], route, operation, look);
      }),
    );
    const kind = operation.with ?? operation.on;
    const changed = ['changes', 'adds'].includes(operation.needs)
      ? await things.make(kind, whose)
      : undefined;
    for (const caller of CALLER_NAMES.filter((name) => !isSafe(name))) {
      const thing = changed ?? (await things.make(kind, whose));
      cells[caller] = await outcomeOf(clients[caller], route, operation, thing);
    }
    cells['nobody'] = await outcomeOf(models.service.as(null), route, operation, look);
    rows.set(one.name, cells);
  };

  beforeAll(async () => {
    models = await CompletionService.start();
    const { service } = models;
    const admin = service.client;
    const keyOf = async (more: object): Promise<{ readonly id: string; readonly key: string }> => {
      const answer = await admin.post('/keys', { name: 'k', scopes: ['read', 'query', 'write'], ...more });
      return answer.json() as { id: string; key: string };
    };
    const person = async (id: string, more: object = {}): Promise<Client> =>
      service.as((await keyOf({ end_user_id: id, ...more })).key);
    await admin.post('/groups', { id: 'gang', members: ['gus'] });
    await admin.post('/folders', { name: 'open' });
    const application = await keyOf({});
    const acting = (as: string): Client => new ActingClient(service.url, application.key, as);
    const tokenOf = async (body: object): Promise<Client> => {
      const made = await admin.post(`/keys/${application.id}/token`, body);
      return service.as((made.json() as { token: string }).token);
    };
    const tenant = await admin.post('/cloud/generate_uri', { name: 'other' });
    clients = {
      'its person': await person('olga'),
      'an admin of it': await person('adam'),
      'a writer of it': await person('will'),
      'a reader of it': await person('rita'),
      'a member of a group that reads it': await person('gus'),
      'an administrator without a person': admin,
      'an application': service.as(application.key),
      'an application for its person': acting('end_user_id=olga&groups=none'),
      'an application for the group that reads it': acting('groups=gang'),
      'an application for a stranger': acting('end_user_id=sam&groups=none'),
      'a stranger in the tenant': await person('sam'),
      'an invited administrator': await person('ada', { scopes: ['admin'] }),
      'a token of its person, bound to its folder': await tokenOf({
        end_user_id: 'olga',
        folder_name: '/',
      }),
      'a token of its person, bound to another folder': await tokenOf({
        end_user_id: 'olga',
        folder_name: '/open',
      }),
      'a token of its person, bound by a filter': await tokenOf({
        end_user_id: 'olga',
        filters: { other: true },
      }),
      'a token of an application': await tokenOf({}),
      'a token of its person with all scopes': await tokenOf({
        end_user_id: 'olga',
        scopes: TOKEN_USE_NAMES,
      }),
      'a token of its person with all scopes, bound to another folder': await tokenOf({
        end_user_id: 'olga',
        folder_name: '/open',
        scopes: TOKEN_USE_NAMES,
      }),
      'another tenant': service.as(/:([\w.-]+)@/.exec((tenant.json() as { uri: string }).uri)?.[1] ?? null),
    };
    await new Documents(() => clients['an application']).ingestText('A lamp is lit.', {
      folder_name: '/open',
    });
    const form = new FormData();
    form.append('file', new Blob(['A lamp.']), 'open.txt');
    form.append('purpose', 'assistants');
    const { id: openFile } = (await clients['an application'].post('/v1/files', form)).json() as {
      id: string;
    };
    const store = await clients['an application'].post('/v1/vector_stores', { name: 'Open' });
    const { id: openStore } = store.json() as { id: string };
    things = new Things(clients['its person'], clients['an application'], admin, openFile, openStore, (key) =>
      service.as(key),
    );
    for (const use of TOKEN_USE_NAMES) {
      ofOneScope.set(use, await tokenOf({ end_user_id: 'olga', scopes: [use] }));
    }
    const waiting = [...CASES];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        await fill(next, await lookOf(next));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  }, 900_000);
  afterAll(() => models.stop());

  it('has a line for every operation', () => {
    const lines = [OPERATIONS, MAKES, OTHERS].flatMap((some) => Object.keys(some));
    expect([...lines].sort()).toEqual([...ROUTES.keys()].sort());
  });

  it.each(CASES.map((one) => [one.name, one] as const))('%s is as in the table', (name, one) => {
    const expected = Object.fromEntries(CALLER_NAMES.map((caller) => [caller, expectedOf(caller, one)]));
    expect(rows.get(name)).toEqual({ ...expected, nobody: '401' });
  });

  it.each(
    CASES.filter((one) => HIDDEN_FROM.some((caller) => expectedOf(caller, one) === '404')).map(
      (one) => [one.name, one] as const,
    ),
  )('%s answers those who may not read it as if it did not exist', async (_, one) => {
    const thing = await lookOf(one);
    for (const caller of HIDDEN_FROM.filter((name) => expectedOf(name, one) === '404')) {
      const [hidden, unknown] = [thing, unknownLike(thing)].map(async (each) =>
        shapeOf(await send(clients[caller], one.route, one.operation, each), each),
      );
      expect([caller, await hidden]).toEqual([caller, await unknown]);
    }
  });

  it.each(Object.entries(MAKES))('%s makes a thing of the caller', async (name, body) => {
    const route = ROUTES.get(name);
    if (route === undefined) throw new Error(`no operation ${name}`);
    const statuses = await Promise.all(
      CALLER_NAMES.map(async (caller) => {
        const { status } = await clients[caller].call(route.method, route.path, { body: body() });
        return [caller, status];
      }),
    );
    expect(statuses).toEqual(CALLER_NAMES.map((caller) => [caller, reaches(caller, route) ? 200 : 403]));
  });

  it('says in the API description which scopes of tokens reach an operation', () => {
    const described = [...ROUTES].filter(([, { tokenScopes }]) => tokenScopes.length > 0);
    expect(Object.fromEntries(described.map(([name, { tokenScopes }]) => [name, tokenScopes]))).toEqual(
      FOR_TOKENS,
    );
  });

  it.each(TOKEN_USE_NAMES)(
    'a token with the scope %s alone reaches its operations and no other',
    async (use) => {
      const client = ofOneScope.get(use);
      if (client === undefined) throw new Error(`no token with ${use}`);
      let reached = 0;
      for (const { name, route, operation, whose } of CASES) {
        const uses = FOR_TOKENS[`${route.method} ${route.path}`] ?? [];
        const look = await looks.get(`${operation.with ?? operation.on} ${whose}`);
        if (look === undefined || (uses.includes(use) && !['reads', 'shows'].includes(operation.needs)))
          continue;
        const outcome = await outcomeOf(client, route, operation, look);
        if (!uses.includes(use)) {
          expect([name, outcome]).toEqual([name, '403']);
          continue;
        }
        reached += 1;
        const line = TABLE[lineOf('a token of its person with all scopes', operation.on, whose)];
        const isCalled = operation.tool === undefined || operation.tool === use;
        const shown = isCalled && line.reads === 200 ? 'shown' : 'not shown';
        expect([name, outcome]).toEqual([name, operation.needs === 'shows' ? shown : String(line.reads)]);
      }
      const withoutThings: readonly TokenUse[] = ['suggestions', 'schema', 'tools', 'feedback'];
      expect(reached > 0).toBe(!withoutThings.includes(use));
    },
  );

  it('has a cell for every operation, caller and kind of thing', () => {
    const cells = [...rows.values()].reduce((sum, row) => sum + Object.keys(row).length, 0);
    expect(cells).toBe(CASES.length * (CALLER_NAMES.length + 1));
    expect(cells).toBeGreaterThan(2_000);
  });
});
