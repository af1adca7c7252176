import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A schema of the OpenAPI document, with the members that inputs use. */
export interface InputSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly nullable?: boolean;
  readonly additionalProperties?: boolean | InputSchema;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, InputSchema>>;
  readonly items?: InputSchema;
  readonly allOf?: readonly InputSchema[];
  readonly oneOf?: readonly InputSchema[];
  readonly anyOf?: readonly InputSchema[];
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: InputSchema;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: InputSchema; readonly examples?: Examples }>
    >;
  };
}

type Examples = Readonly<Record<string, { readonly value: object }>>;

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, InputSchema>> };
}

/** A member of a JSON body or a query parameter, with its location in a 422. */
export interface DescribedInput {
  readonly method: string;
  readonly path: string;
  readonly place: readonly (string | number)[];
  readonly schema: InputSchema;
  /**
   * Returns path and body of a request with a JSON value for this input. All other inputs have the values of the
   * example.
   */
  readonly requestWith: (json: string) => { readonly path: string; readonly body: string | undefined };
}

const document = JSON.parse(readFileSync(join(__dirname, '../../openapi.json'), 'utf8')) as OpenApi;

const HOLE = '<the value>';

/** Returns whether the schema accepts null. An enumeration accepts null only if it lists null. */
export function takesNull(schema: InputSchema): boolean {
  const { nullable, enum: values } = schema;
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return choices.some(takesNull);
  return nullable === true && values?.includes(null) !== false;
}

/** Returns whether the schema rejects unknown members. */
export function isClosed(schema: InputSchema): boolean {
  return resolved(schema).additionalProperties === false;
}

/** Returns values as JSON that are blank or violate a length, and are valid otherwise. */
export function badlySized(schema: InputSchema): string[] {
  const { minLength, maxLength, pattern, minItems, maxItems, items = {} } = schema;
  const texts = [
    ...(minLength === undefined ? [] : ['a'.repeat(minLength - 1)]),
    ...(maxLength === undefined ? [] : ['a'.repeat(maxLength + 1)]),
    ...(pattern === undefined ? [] : [' ', '\u2003\n'].filter((text) => !new RegExp(pattern).test(text))),
  ];
  const lengths = [
    ...(minItems === undefined ? [] : [minItems - 1]),
    ...(maxItems === undefined ? [] : [maxItems + 1]),
  ];
  const lists = lengths.map((length) => new Array<unknown>(length).fill(sampleOf(items)));
  return [...texts, ...lists].map((value) => JSON.stringify(value));
}

/** Its answer ends only when the caller leaves: test/documents/events.e2e.ts. */
const ENDLESS = '/events';

/** Returns every described input of every route that ends, including members of lists and nested objects. */
export function describedInputs(): DescribedInput[] {
  const ending = Object.entries(document.paths).filter(([path]) => path !== ENDLESS);
  return ending.flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => [
      ...parametersOf(method.toUpperCase(), path, operation),
      ...membersOf(method.toUpperCase(), path, operation),
    ]),
  );
}

function parametersOf(method: string, path: string, operation: Operation): DescribedInput[] {
  const inQuery = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const body = operation.requestBody === undefined ? undefined : JSON.stringify(exampleBody(operation) ?? {});
  return inQuery.map(({ name, schema }) => ({
    method,
    path,
    place: ['query', name],
    schema,
    requestWith: (json) => ({ path: `${path}?${name}=${encodeURIComponent(json)}`, body }),
  }));
}

function membersOf(method: string, path: string, operation: Operation): DescribedInput[] {
  const schema = operation.requestBody?.content['application/json']?.schema;
  if (schema === undefined) return [];
  const all = [{ place: [], schema }, ...placesIn(schema)];
  return all.map(({ place, schema: member }) => ({
    method,
    path,
    place: ['body', ...place],
    schema: member,
    requestWith: (json) => ({
      path,
      body: JSON.stringify(withValue(schema, exampleBody(operation), place)).replace(
        JSON.stringify(HOLE),
        json,
      ),
    }),
  }));
}

function exampleBody(operation: Operation): object | undefined {
  const examples = operation.requestBody?.content['application/json']?.examples ?? {};
  return Object.values(examples)[0]?.value;
}

type Path = readonly (string | number)[];

function placesIn(
  schema: InputSchema,
  at: Path = [],
): { readonly place: Path; readonly schema: InputSchema }[] {
  return alternativesOf(schema).flatMap(({ properties = {}, items }) => {
    const members = Object.entries(properties).map(([name, member]) => [[...at, name], member] as const);
    const elements = items === undefined ? [] : [[[...at, 0], items] as const];
    return [...members, ...elements].flatMap(([place, member]) => [
      { place, schema: member },
      ...placesIn(member, place),
    ]);
  });
}

function alternativesOf(schema: InputSchema): InputSchema[] {
  return (schema.oneOf ?? schema.anyOf ?? [schema]).map(resolved);
}

/** Resolves a reference, or returns the first of several alternatives. */
function resolved(schema: InputSchema): InputSchema {
  const inner = schema.allOf?.[0] ?? schema.oneOf?.[0] ?? schema.anyOf?.[0];
  if (schema.$ref !== undefined) {
    return resolved(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  }
  return inner === undefined ? schema : { ...schema, ...resolved(inner) };
}

/** Returns a value for the schema with a given value at one location. */
function withValue(schema: InputSchema, given: unknown, [first, ...rest]: Path): unknown {
  if (first === undefined) return HOLE;
  const alternatives = alternativesOf(schema);
  const object =
    alternatives.find(({ properties = {} }) => Object.hasOwn(properties, first)) ?? resolved(schema);
  const { properties = {} } = object;
  const list = alternatives.find(({ items }) => items !== undefined);
  if (typeof first === 'number') return [withValue(list?.items ?? {}, undefined, rest)];
  const base = (given ?? sampleOf(object)) as Readonly<Record<string, unknown>>;
  return { ...base, [first]: withValue(properties[first] ?? {}, undefined, rest) };
}

/** Returns a valid value with required members only. */
function sampleOf(schema: InputSchema): unknown {
  const { example, type, enum: values, required = [], properties = {} } = resolved(schema);
  if (example !== undefined && example !== null) return example;
  if (values !== undefined) return values[0];
  if (type === 'array') return [];
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  if (type !== 'object') return 'text';
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
}
