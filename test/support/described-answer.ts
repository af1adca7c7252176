import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import type { Answer } from './client.js';

interface Described {
  readonly content?: Readonly<Record<string, object>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, Described | { readonly $ref: string }>>;
}

interface OpenApi {
  readonly components: { readonly responses: Readonly<Record<string, Described>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const document = JSON.parse(readFileSync(join(__dirname, '../../openapi.json'), 'utf8')) as OpenApi;
/** Allows null for a nullable member that refers to a class, as all OpenAPI 3.0 tools do. */
function readAsTools(_key: string, value: unknown): unknown {
  const { nullable, allOf } = (value ?? {}) as { readonly nullable?: boolean; readonly allOf?: unknown };
  return nullable === true && allOf !== undefined ? { anyOf: [{ allOf }, { enum: [null] }] } : value;
}

const ajv = new Ajv({ strict: false, validateSchema: false });
formats.default(ajv);
ajv.addSchema(JSON.parse(JSON.stringify(document), readAsTools) as object, 'openapi');

/** Returns every operation of the OpenAPI document. */
export function describedOperations(): { readonly method: string; readonly path: string }[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path })),
  );
}

/**
 * Describes how a response deviates from the OpenAPI document: status, content type or body.
 * @param path as in the OpenAPI document, with the names of parameters
 */
export function unforeseen(method: string, path: string, answer: Answer): string[] {
  const operation = document.paths[path]?.[method.toLowerCase()];
  const place = operation?.responses[answer.status];
  if (place === undefined) return [`status ${answer.status}`];
  const shared = '$ref' in place ? (place.$ref.split('/').at(-1) ?? '') : undefined;
  const response = shared === undefined ? (place as Described) : document.components.responses[shared];
  if (response === undefined) return [`no response ${shared}`];
  const { content } = response;
  if (content === undefined) return answer.text === '' ? [] : ['a body'];
  const type = answer.headers.get('content-type')?.split(';')[0] ?? 'none';
  const described = [type, '*/*'].find((one) => content[one] !== undefined);
  if (described === undefined) return [`content type ${type}`];
  if (described !== 'application/json') return [];
  const steps =
    shared === undefined
      ? ['paths', path, method.toLowerCase(), 'responses', String(answer.status)]
      : ['components', 'responses', shared];
  const pointer = [...steps, 'content', described].map((step) =>
    encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  const validate = ajv.compile({ $ref: `openapi#/${pointer.join('/')}/schema` });
  validate(answer.json());
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
}
