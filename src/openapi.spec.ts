import { readFileSync } from 'node:fs';
import { itemsFor } from '../test/support/read-body.js';
import { allExamples } from './http/input/examples.js';
import { openApiText } from './openapi.js';

interface Media {
  readonly schema?: Property;
  readonly examples?: object;
}
interface Property {
  readonly description?: string;
  readonly $ref?: string;
  readonly type?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Property[];
  readonly oneOf?: readonly Property[];
  readonly discriminator?: { readonly mapping: Readonly<Record<string, string>> };
  readonly properties?: Readonly<Record<string, Property>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly operationId: string;
  readonly summary?: string;
  readonly security?: object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, Media>> }>
  >;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Property>>;
    readonly responses: Readonly<Record<string, object>>;
  };
}

describe('OpenAPI document', () => {
  let text: string;
  let document: Document;
  beforeAll(async () => {
    text = await openApiText();
    document = JSON.parse(text) as Document;
  });

  it('is up to date: run `npm run openapi` after a change', () => {
    expect(readFileSync('openapi.json', 'utf8')).toBe(text);
  });

  it('describes every field', () => {
    const silent = Object.entries(document.components.schemas).flatMap(([schema, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, { description }]) => description === undefined || description === '')
        .map(([name]) => `${schema}.${name}`),
    );
    expect(silent).toEqual([]);
  });

  it('describes every parameter', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).map(({ parameters = [] }) => ({ path, parameters })),
    );
    const silent = operations.flatMap(({ path, parameters }) =>
      parameters.filter(({ description = '' }) => description === '').map(({ name }) => `${path} ${name}`),
    );
    expect(silent).toEqual([]);
  });

  it('marks nullable members, and never a whole class', () => {
    const { schemas } = document.components;
    const properties = Object.values(schemas).flatMap((schema) => Object.entries(schema.properties ?? {}));
    const nullable = properties.filter(([, property]) => property.nullable === true);
    expect(nullable.length).toBeGreaterThan(50);
    expect(nullable.filter(([, property]) => !acceptsNull(property, schemas)).map(([name]) => name)).toEqual(
      [],
    );
    // Client generators create no class for a nullable schema.
    const classes = Object.entries(schemas).filter(([, schema]) => schema.nullable === true);
    expect(classes.map(([name]) => name)).toEqual([]);
  });

  it('restricts enums to strings: generators create no type for other enums', () => {
    const lists = [...text.matchAll(/"enum": \[([^\]]*)\]/g)].map(([, values = '']) =>
      values.split(',').map((value) => value.trim()),
    );
    expect(lists.length).toBeGreaterThan(20);
    expect(lists.flat().filter((value) => !/^("[^"]*"|null)$/.test(value))).toEqual([]);
  });

  it('uses a media type for file bytes that generators support', () => {
    const bytes = Object.entries(document.paths).filter(([, methods]) =>
      JSON.stringify(methods).includes('"*/*"'),
    );
    expect(bytes.map(([path]) => path)).toEqual([
      '/documents/{document_id}/file',
      '/files',
      '/v1/files/{file_id}/content',
    ]);
    for (const [, { get }] of bytes) {
      for (const status of ['200', '206']) {
        const { content } = get?.responses[status] as { readonly content: object };
        expect(Object.keys(content)).toEqual(['application/octet-stream', '*/*']);
      }
    }
  });

  it('gives every operation a summary and its required permission', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        expect([method, path, operation.summary ?? '']).toEqual([method, path, expect.stringMatching(/\w+/)]);
        expect(Object.keys(operation.responses)).toEqual(
          expect.arrayContaining(operation.security?.length === 0 ? ['500'] : ['401', '403', '429', '500']),
        );
      }
    }
  });

  it('describes each header once, none as required, and Idempotency-Key for writes only', () => {
    const headers = Object.values(document.paths).flatMap((methods) =>
      Object.entries(methods).flatMap(([method, { operationId, parameters = [] }]) =>
        parameters
          .filter((parameter) => parameter.in === 'header')
          .map(({ name, required }) => ({ method, operationId, name, required })),
      ),
    );
    const keyed = headers.filter(({ name }) => name === 'Idempotency-Key');
    expect(keyed.length).toBeGreaterThan(20);
    expect(new Set(keyed.map(({ operationId }) => operationId)).size).toBe(keyed.length);
    expect(keyed.filter(({ method, required }) => method === 'get' || required)).toEqual([]);
    expect(headers.filter((header) => !keyed.includes(header))).toEqual([
      { method: 'get', operationId: 'streamAnswerEvents', name: 'Last-Event-ID', required: false },
      { method: 'get', operationId: 'streamEvents', name: 'Last-Event-ID', required: false },
    ]);
  });

  it('describes the locations of invalid values, in a 422 and under /v1 in a 400', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const { responses } of Object.values(methods)) {
        const place = responses[path.startsWith('/v1/') ? '400' : '422'];
        if (place === undefined) continue;
        const refused =
          place.$ref === undefined
            ? place
            : document.components.responses[place.$ref.split('/').at(-1) ?? ''];
        expect([path, JSON.stringify(refused)]).toEqual([
          path,
          expect.stringContaining('#/components/schemas/ValidationErrorDto'),
        ]);
      }
    }
  });

  it('repeats no error response, and names those that operations share', () => {
    const inline = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ responses }) =>
        Object.entries(responses).flatMap(([status, response]) =>
          Number(status) < 400 || response.$ref !== undefined ? [] : [JSON.stringify(response)],
        ),
      ),
    );
    expect(inline.filter((one, at) => inline.indexOf(one) !== at)).toEqual([]);
    const names = Object.keys(document.components.responses);
    expect(names).toEqual(expect.arrayContaining(['Unauthorized', 'DocumentNotFound', 'OpenAiUnauthorized']));
    const used = new Set(text.match(/(?<=#\/components\/responses\/)\w+/g));
    expect([...used].sort()).toEqual(names);
  });

  it('has valid examples for every JSON body', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const { requestBody } of Object.values(methods)) {
        const media = requestBody?.content['application/json'];
        if (media !== undefined) expect([path, Object.keys(media.examples ?? {})]).not.toEqual([path, []]);
      }
    }
    for (const [type, bodies] of allExamples()) {
      for (const [summary, body] of Object.entries(bodies)) {
        expect([type.name, summary, itemsFor(type, body)]).toEqual([type.name, summary, []]);
      }
    }
  });

  it('gives every operation a unique, readable id that never changes', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)*$/.test(id))).toEqual([]);
    // Generated clients name their functions after the ids: add new ones, and keep the others.
    expect(ids.sort()).toMatchSnapshot();
  });

  it('states defaults in words, because generated types demand a member with a default from the caller', () => {
    const members = Object.values(document.components.schemas).flatMap(({ properties = {} }) =>
      Object.values(properties),
    );
    expect(members.filter((member) => 'default' in member)).toEqual([]);
    expect(document.components.schemas['QueryDto']?.properties?.['k']?.description).toMatch(/ Default: 4\.$/);
  });

  it('describes the events of an answer as a union by their type', () => {
    const { content } = document.paths['/query']?.['post']?.responses['200'] ?? {};
    const { oneOf, discriminator } = content?.['text/event-stream']?.schema ?? {};
    expect(Object.keys(discriminator?.mapping ?? {})).toEqual([
      'sources',
      'assistant',
      'done',
      'stopped',
      'error',
    ]);
    expect(oneOf?.map(({ $ref }) => $ref)).toEqual(Object.values(discriminator?.mapping ?? {}));
  });

  it('contains no secret, not even in an example', () => {
    expect(text).not.toMatch(/sk-[A-Za-z0-9]{8}|eyJ[A-Za-z0-9]{8}/);
  });
});

/**
 * Tells whether null is valid for the keywords of a schema and, if it has oneOf, for one alternative. According to
 * OpenAPI 3.0, null must also be valid for the class to which a nullable member refers, but every tool ignores this
 * rule.
 */
function acceptsNull(schema: Property, schemas: Readonly<Record<string, Property>>): boolean {
  const { $ref, type, nullable, enum: values, allOf = [], oneOf } = schema;
  if ($ref !== undefined) return acceptsNull(schemas[$ref.split('/').at(-1)!]!, schemas);
  return (
    (type === undefined || nullable === true) &&
    (values?.includes(null) ?? true) &&
    (nullable === true || allOf.every((one) => acceptsNull(one, schemas))) &&
    (oneOf === undefined || oneOf.filter((one) => acceptsNull(one, schemas)).length === 1)
  );
}
