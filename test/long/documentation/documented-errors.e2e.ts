import { readFileSync } from 'node:fs';
import type { Answer, Client } from '../../support/client.js';
import { Documents } from '../../support/documents.js';
import { Service } from '../../support/service.js';

interface Item {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

interface Described {
  readonly content?: Readonly<
    Record<
      string,
      { readonly example?: { readonly detail: string | readonly Item[]; readonly error?: object } }
    >
  >;
}

interface Operation {
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { readonly value: object }>> }>
    >;
  };
  readonly responses: Readonly<Record<string, Described & { readonly $ref?: string }>>;
}

const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Described>> };
};

/** The responses of an operation by status, without references. */
const responsesOf = ({ responses }: Operation): [string, Described][] =>
  Object.entries(responses).map(([status, response]) => [
    status,
    components.responses[response.$ref?.split('/').at(-1) ?? ''] ?? response,
  ]);

const OPERATIONS = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    named: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    operation,
  })),
);

type Named = (typeof OPERATIONS)[number];

const exampleOf = ({ operation }: Named, status: number) =>
  new Map(responsesOf(operation)).get(String(status))?.content?.['application/json']?.example;

/** Operations that document a status, each with an example. */
const documenting = (status: number): [string, Named, NonNullable<ReturnType<typeof exampleOf>>][] =>
  OPERATIONS.flatMap((one) => {
    const example = exampleOf(one, status);
    return example === undefined ? [] : [[one.named, one, example]];
  });

const NOBODY = '00000000-0000-4000-8000-000000000000';

const at = (path: string, value = NOBODY, store = value): string =>
  path
    .replace('{vector_store_id}', store)
    .replace(/\{(?:page_number|message_index)\}/, value === NOBODY ? '1' : value)
    .replaceAll(/\{\w+\}/g, value);

describe('documented errors', () => {
  let service: Service;
  let client: Client;
  let document: string;
  let store: string;
  beforeAll(async () => {
    service = await Service.start();
    client = service.client;
    document = (await new Documents(() => client).ingestText('The warranty is two years.')).external_id;
    ({ id: store } = (await client.post('/v1/vector_stores', {})).json() as { id: string });
  });
  afterAll(() => service.stop());

  it('have an example, and each operation one of a validation error', () => {
    const without = OPERATIONS.flatMap(({ named, operation }) =>
      responsesOf(operation)
        .filter(([status]) => Number(status) >= 400)
        .filter(([, { content }]) => content?.['application/json']?.example === undefined)
        .map(([status]) => `${named} ${status}`),
    );
    expect(without).toEqual([]);
    expect(
      exampleOf(
        OPERATIONS.find(({ named }) => named === 'GET /health')!,
        503,
      ),
    ).toMatchObject({
      status: 'unhealthy',
    });
    const sentences = documenting(404).map(([, , { detail }]) => detail);
    expect(new Set(sentences).size).toBeGreaterThan(6);
  });

  const keyed = documenting(401).filter(
    ([named]) => !/\/metrics|generate_uri|keys\/sign_in|keys\/invitation|POST \/session$/.test(named),
  );
  it.each(keyed)(
    '%s returns the documented error without a key',
    async (_named, { method, path }, example) => {
      const answer = await service.as(null).call(method, at(path));
      expect([answer.status, answer.json()]).toEqual([401, example]);
    },
  );

  // The webhook of an unknown delivery is unknown, too, and looked up first.
  const findable = documenting(404).filter(([named]) => named.includes('{') && !named.endsWith('/redeliver'));
  it.each(findable)('%s returns the documented 404', async (_named, { method, path, operation }, example) => {
    const [first] = Object.values(operation.requestBody?.content['application/json']?.examples ?? {});
    const query = path.endsWith('/title') ? '?title=x' : '';
    const isForm = operation.requestBody?.content['multipart/form-data'] !== undefined;
    const body = isForm ? formWithFile() : first?.value;
    const id = path.startsWith('/v1/') ? /"([^"]+)"/.exec(example.detail as string)?.[1] : NOBODY;
    const url = at(path, id, id?.startsWith('vs_') === true ? id : store) + query;
    const answer = await client.call(method, url, body === undefined ? {} : { body });
    // The example of an unknown model has no code; the response has one.
    const { code: _, param: __, ...error } = (example.error ?? {}) as Record<string, unknown>;
    const expected = example.error === undefined ? example : { ...example, error };
    expect([answer.status, answer.json()]).toMatchObject([404, expected]);
  });

  const refusing = [422, 400].flatMap((status) =>
    documenting(status)
      .filter(([, , { detail }]) => Array.isArray(detail)) // others have one message, or are errors of MCP
      // Under /v1 an id that cannot be stored returns 404, like any unknown id.
      .filter(([name, , { detail }]) => !(name.includes(' /v1/') && (detail[0] as Item).loc[0] === 'path'))
      .map(([name, one, example]) => [name, status, one, example] as const),
  );
  it.each(refusing)(
    '%s returns the documented validation error (%i)',
    async (_named, status, one, { detail }) => {
      const [item] = detail as readonly Item[];
      const answer = await provoke(one, item!);
      const told = answer.json() as { readonly detail: readonly Item[] };
      expect([answer.status, told.detail]).toEqual([status, expect.arrayContaining([item])]);
    },
  );

  /** Sends the invalid request of an example. */
  function provoke({ method, path, operation }: Named, { loc, type }: Item): Promise<Answer> {
    const [part, name = ''] = loc.map(String);
    if (part === 'path') return client.call(method, at(path, 'a%00b'));
    if (part === 'query') {
      const value = type === 'value_error' ? '%00' : 'x';
      return client.call(method, at(path) + (type === 'missing' ? '' : `?${name}=${value}`));
    }
    if (type === 'json_invalid') return client.call(method, at(path), { body: '{' });
    const isForm = operation.requestBody?.content['multipart/form-data'] !== undefined;
    if (isForm) {
      const form = new FormData();
      form.append('nothing', 'x');
      return client.call(method, at(path, document), { body: form });
    }
    const body = name === '' ? 'x' : type === 'missing' ? {} : { [name]: 'x' };
    return client.call(method, at(path), { body: JSON.stringify(body) });
  }
});

function formWithFile(): FormData {
  const form = new FormData();
  form.append('file', new Blob(['text']), 'a.txt');
  return form;
}
