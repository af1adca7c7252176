import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { type InvalidItem, itemFor } from '../errors/index.js';
import { ErrorDto, ProtocolErrorDto, ValidationErrorDto } from './error.dto.js';
import { IDEMPOTENCY_KEY } from './idempotency/idempotency.js';
import { errorAnswer } from './openai-error.js';
import { isProtocolPath } from './protocol-path.js';
import { errorResponse, IDEMPOTENCY_EXTENSION } from './route.decorator.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Body = Exclude<NonNullable<Operation['requestBody']>, { $ref: string }>;
type Media = Body['content'][string];

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
}

/** Adds the errors that are common to all routes to every operation, with an example for each error. */
export function completeErrors(document: OpenAPIObject): void {
  for (const { path, method, operation } of operationsOf(document)) {
    // Errors that occur before a handler runs: the router rejects malformed %-encoding, and the hooks reject bodies.
    if (path.includes('{')) operation.responses[400] ??= errorResponse(400);
    if (operation.requestBody !== undefined) {
      for (const status of [408, 413, 415]) operation.responses[status] ??= errorResponse(status);
    }
    // A GET without inputs cannot fail validation.
    const invalid = invalidItem(operation, document) ?? (method === 'get' ? undefined : NO_JSON);
    if (invalid !== undefined) operation.responses[422] = invalidResponse(invalid);
    describeIdempotency(method, operation);
    if (method === 'get' && jsonOf(operation.responses[200]) !== undefined) {
      operation.responses[304] ??= NOT_MODIFIED;
    }
    if (isProtocolPath(path)) speakProtocol(path, operation);
  }
}

export function operationsOf({
  paths,
}: OpenAPIObject): { path: string; method: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, { get, post, put, patch, delete: remove }]) =>
    Object.entries({ get, post, put, patch, delete: remove }).flatMap(([method, operation]) =>
      operation === undefined ? [] : [{ path, method, operation }],
    ),
  );
}

const KEY_PARAMETER: NonNullable<Operation['parameters']>[number] = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
  description:
    'For 24 hours, a request with the same key and body returns the first response and changes nothing.',
};

/** Adds the header to the operations that keep their answers; a GET has nothing to keep. */
function describeIdempotency(method: string, operation: Operation): void {
  const { [IDEMPOTENCY_EXTENSION]: use } = operation as Operation & Readonly<Record<string, unknown>>;
  if (method === 'get') Reflect.deleteProperty(operation, IDEMPOTENCY_EXTENSION);
  else if (use === 'kept') {
    operation.parameters = [...(operation.parameters ?? []), KEY_PARAMETER];
    operation.responses[409] ??= errorResponse(409, 'The request with this Idempotency-Key is still running');
  }
}

const NOT_MODIFIED = { description: 'Not modified: `If-None-Match` names the `ETag` of the content.' };

const NO_JSON: InvalidItem = { loc: ['body', 1], msg: 'JSON decode error', type: 'json_invalid' };

/**
 * Returns an example validation error for an operation: a missing member or, if no member is required, a member of a
 * wrong type.
 */
function invalidItem(
  { parameters = [], requestBody }: Operation,
  document: OpenAPIObject,
): InvalidItem | undefined {
  if (requestBody !== undefined && !('$ref' in requestBody)) {
    const [media] = Object.values(requestBody.content);
    return invalidMember(resolved(media, document), ['body']);
  }
  const own = parameters.flatMap((parameter) => ('$ref' in parameter ? [] : [parameter]));
  const asked = own.filter((parameter) => parameter.in === 'query');
  const query: Schema = {
    required: asked.filter(({ required }) => required === true).map(({ name }) => name),
    properties: Object.fromEntries(asked.map(({ name, schema }) => [name, (schema ?? {}) as Schema])),
  };
  if (asked.length > 0) return invalidMember(query, ['query']);
  const [place] = own.filter((parameter) => parameter.in === 'path' && parameter.name !== 'document_id');
  if (place === undefined) return undefined;
  const isInteger = ((place.schema ?? {}) as Schema).type === 'integer';
  return itemFor(['path', place.name], isInteger ? 'isInt' : 'isStorable');
}

function resolved(media: Media | undefined, document: OpenAPIObject): Schema {
  const schema = (media?.schema ?? {}) as Schema;
  const named = schema.$ref ?? schema.anyOf?.[0]?.$ref;
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  return named === undefined ? schema : (schemas[named.split('/').at(-1) ?? ''] ?? {});
}

/** For each schema type, the constraint that a value of another type violates. */
const WRONG_TYPES = {
  integer: 'isInt',
  number: 'isNumber',
  boolean: 'isBoolean',
  object: 'isJsonObject',
  array: 'isArray',
} as const;

function invalidMember({ required = [], properties = {} }: Schema, loc: InvalidItem['loc']): InvalidItem {
  const [missing] = required;
  if (missing !== undefined) return { loc: [...loc, missing], msg: 'Field required', type: 'missing' };
  const isQuery = loc[0] === 'query';
  for (const [wanted, constraint] of Object.entries(WRONG_TYPES)) {
    if (isQuery && wanted === 'array') continue; // a single value is a list
    const name = Object.keys(properties).find((member) => properties[member]?.type === wanted);
    if (name !== undefined) return itemFor([...loc, name], constraint);
  }
  const name = Object.keys(properties).find((member) => properties[member]?.enum === undefined);
  return name !== undefined && isQuery ? itemFor([...loc, name], 'isStorable') : itemFor(loc, 'isJsonObject');
}

function invalidResponse(item: InvalidItem): Operation['responses'][string] {
  const schema = { $ref: getSchemaPath(ValidationErrorDto) };
  return {
    description: 'All validation errors of the request.',
    content: { 'application/json': { schema, example: { detail: [item] } } },
  };
}

/**
 * Changes the errors of an operation under `/v1`. Invalid input becomes a 400, and every error body has `error` in
 * addition to `detail`.
 */
function speakProtocol(path: string, operation: Operation): void {
  const { responses } = operation;
  const invalid = responses[422];
  if (invalid !== undefined) {
    responses[400] = eitherOf(responses[400], invalid);
    delete responses[422];
  }
  for (const [code, response] of Object.entries(responses)) {
    const media = jsonOf(response);
    if (media === undefined || Number(code) < 400) continue;
    const { detail } = media.example as { readonly detail: string | readonly InvalidItem[] };
    media.example = errorAnswer(path, { status: Number(code), detail }).body;
    media.schema = {
      allOf: [media.schema ?? { $ref: getSchemaPath(ErrorDto) }, { $ref: getSchemaPath(ProtocolErrorDto) }],
    };
  }
}

type Response = Operation['responses'][string];

function jsonOf(response: Response): Media | undefined {
  return response !== undefined && 'content' in response ? response.content['application/json'] : undefined;
}

/** Returns a 400 whose body has one message, or matches the schema of `invalid`. */
function eitherOf(malformed: Response | undefined, invalid: Response): Response {
  const schemas = [
    jsonOf(malformed)?.schema ?? { $ref: getSchemaPath(ErrorDto) },
    jsonOf(invalid)?.schema ?? {},
  ];
  return {
    description: 'The request is malformed or invalid.',
    content: { 'application/json': { ...jsonOf(invalid), schema: { anyOf: schemas } } },
  };
}
