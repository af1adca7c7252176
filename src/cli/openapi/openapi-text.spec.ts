import { readFileSync } from 'node:fs';
import { itemsFor } from '../../../test/support/read-body.js';
import { allExamples } from '../../http/input/examples.js';
import { openApiText } from './openapi-text.js';

interface Media {
  readonly schema?: object;
  readonly examples?: object;
}
interface Property {
  readonly description?: string;
  readonly $ref?: string;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly operationId: string;
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

  it('names each header once, and asks for none', () => {
    const headers = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ operationId, parameters = [] }) =>
        parameters
          .filter((parameter) => parameter.in === 'header')
          .map(({ name, required }) => [operationId, name, required]),
      ),
    );
    expect(headers).toEqual([['UpdateText_update', 'Idempotency-Key', false]]);
  });

  it('says of every 422 where what was wrong stands', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const { responses } of Object.values(methods)) {
        if (!('422' in responses)) continue;
        expect([path, JSON.stringify(responses['422'])]).toEqual([
          path,
          expect.stringContaining('#/components/schemas/ValidationErrorDto'),
        ]);
      }
    }
  });

  it('has examples for every JSON body, and the service would take each of them', () => {
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

  it('names every operation differently', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('holds no secret, not even as an example', () => {
    expect(text).not.toMatch(/sk-[A-Za-z0-9]{8}|eyJ[A-Za-z0-9]{8}/);
  });
});
