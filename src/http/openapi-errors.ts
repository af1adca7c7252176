import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import type { InvalidItem, InvalidType } from '../errors/index.js';
import { ErrorDto, ProtocolErrorDto, ValidationErrorDto } from './error.dto.js';
import { errorBody } from './error.filter.js';
import { isProtocolPath } from './protocol-path.js';
import { errorResponse } from './route.decorator.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Body = Exclude<NonNullable<Operation['requestBody']>, { $ref: string }>;
type Media = Body['content'][string];

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
}

/** What every route may answer beside its own errors, and an example of its own for each error of each route. */
export function completeErrors(document: OpenAPIObject): void {
  for (const [path, { get, post, put, patch, delete: remove }] of Object.entries(document.paths)) {
    const operations = { get, post, put, patch, delete: remove };
    for (const [method, operation] of Object.entries(operations)) {
      if (operation === undefined) continue;
      // A path whose %-encoding is broken, and a body in whatever way it is called, are refused before a route sees them.
      if (path.includes('{')) operation.responses[400] ??= errorResponse(400);
      if (operation.requestBody !== undefined) {
        for (const status of [408, 413, 415]) operation.responses[status] ??= errorResponse(status);
      }
      // A GET without inputs has nothing that could be refused.
      const invalid = invalidItem(operation, document) ?? (method === 'get' ? undefined : NO_JSON);
      if (invalid !== undefined) operation.responses[422] = invalidResponse(invalid);
      if (isProtocolPath(path)) speakProtocol(path, operation);
    }
  }
}

const NO_JSON: InvalidItem = { loc: ['body', 1], msg: 'JSON decode error', type: 'json_invalid' };

/** What an operation says of an input that it takes: something that is missing, or that is of another type. */
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
  return place === undefined
    ? undefined
    : { loc: ['path', place.name], msg: UNSTORABLE, type: 'value_error' };
}

const UNSTORABLE = 'Value error, text must not contain U+0000 or lone surrogates';

function resolved(media: Media | undefined, document: OpenAPIObject): Schema {
  const schema = (media?.schema ?? {}) as Schema;
  const named = schema.$ref ?? schema.anyOf?.[0]?.$ref;
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  return named === undefined ? schema : (schemas[named.split('/').at(-1) ?? ''] ?? {});
}

const WRONG_TYPES: readonly (readonly [type: string, error: InvalidType, msg: string])[] = [
  ['integer', 'int_type', 'Input should be a valid integer'],
  ['number', 'float_type', 'Input should be a valid number'],
  ['boolean', 'bool_type', 'Input should be a valid boolean'],
  ['object', 'dict_type', 'Input should be a valid dictionary'],
  ['array', 'list_type', 'Input should be a valid list'],
];

function invalidMember({ required = [], properties = {} }: Schema, loc: InvalidItem['loc']): InvalidItem {
  const [missing] = required;
  if (missing !== undefined) return { loc: [...loc, missing], msg: 'Field required', type: 'missing' };
  for (const [wanted, type, msg] of WRONG_TYPES) {
    const name = Object.keys(properties).find((member) => properties[member]?.type === wanted);
    if (name !== undefined) return { loc: [...loc, name], msg, type };
  }
  const [name] = Object.keys(properties);
  if (name !== undefined && loc[0] === 'query') {
    return { loc: [...loc, name], msg: UNSTORABLE, type: 'value_error' };
  }
  return { loc, msg: 'Input should be a valid dictionary', type: 'dict_type' };
}

function invalidResponse(item: InvalidItem): Operation['responses'][string] {
  const schema = { $ref: getSchemaPath(ValidationErrorDto) };
  return {
    description: 'Everything that is wrong with the request.',
    content: { 'application/json': { schema, example: { detail: [item] } } },
  };
}

/** Under `/v1` an error has `error` beside `detail`. */
function speakProtocol(path: string, operation: Operation): void {
  for (const [code, response] of Object.entries(operation.responses)) {
    const media =
      response !== undefined && 'content' in response ? response.content['application/json'] : undefined;
    if (media === undefined || Number(code) < 400) continue;
    const { detail } = media.example as { readonly detail: string | readonly InvalidItem[] };
    media.example = errorBody(path, { status: Number(code), detail });
    media.schema = {
      allOf: [media.schema ?? { $ref: getSchemaPath(ErrorDto) }, { $ref: getSchemaPath(ProtocolErrorDto) }],
    };
  }
}
