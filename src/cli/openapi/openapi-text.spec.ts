import { readFileSync } from 'node:fs';
import { openApiText } from './openapi-text.js';

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: object;
}
interface Property {
  readonly description?: string;
  readonly $ref?: string;
}
interface Operation {
  readonly summary?: string;
  readonly security?: object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, object>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { properties?: Record<string, Property> }>>;
  };
}

describe('the OpenAPI document', () => {
  let text: string;
  let document: Document;
  beforeAll(async () => {
    text = await openApiText();
    document = JSON.parse(text) as Document;
  });

  it('is committed as it is made: run `npm run openapi` after a change', () => {
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

  it('gives every operation a summary and says which scope it needs', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        expect([method, path, operation.summary ?? '']).toEqual([method, path, expect.stringMatching(/\w+/)]);
        expect(Object.keys(operation.responses)).toEqual(
          expect.arrayContaining(
            operation.security === undefined ? ['500'] : ['401', '403', '422', '429', '500'],
          ),
        );
      }
    }
  });

  it('holds no secret, not even as an example', () => {
    expect(text).not.toMatch(/sk-[A-Za-z0-9]{8}|eyJ[A-Za-z0-9]{8}/);
  });
});
