import { Invalid, type Location, Problems } from '../../errors/index.js';
import { metadataTypeNamed, METADATA_TYPES } from '../../metadata/metadata-type.js';
import { isReservedKey } from '../../metadata/typed-metadata.js';
import { printJson } from '../../json/exact-json.js';
import { compileSchema } from '../../models/llm/structured/compile-schema.js';
import { isSchemaObject, type JsonSchema, SchemaProblem } from '../../models/llm/structured/json-schema.js';

type Members = Readonly<Record<string, unknown>>;

/** Schema of extracted metadata, and the types of its keys in the store. */
export interface MetadataSchema {
  readonly schema: JsonSchema;
  readonly types: Readonly<Record<string, string>>;
}

/** Schema keywords that mark the schema of an object even if it has no `type`. */
const OBJECT_KEYWORDS = ['properties', '$ref', 'allOf', 'anyOf', 'oneOf'];

/** Metadata types of string formats. */
const FORMAT_TYPES: Readonly<Record<string, string>> = { date: 'date', 'date-time': 'datetime' };

/** JSON Schemas of the metadata types that JSON Schema does not define. */
const SCHEMA_OF_TYPE: Readonly<Record<string, Members>> = {
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  decimal: { type: 'number' },
};

/**
 * Reads the schema of a rule: the JSON Schema of an object, or `{field: {type, description}}` with optional fields.
 * @throws Invalid
 */
export function metadataSchemaOf(value: Members, loc: Location): MetadataSchema {
  const given = JSON.parse(printJson(value)) as Members;
  const read = areFields(given) ? fromFields(given, loc) : fromSchema(given, loc);
  try {
    compileSchema(read.schema);
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error;
    throw Invalid.at(areFields(given) ? loc : [...loc, ...error.path], `Value error, ${error.message}`);
  }
  return read;
}

/**
 * Whether the value has the form `{field: {type, description}}`. The JSON Schema of an object never has this form,
 * because the values of its keywords have other shapes.
 */
function areFields(value: Members): value is Readonly<Record<string, Members>> {
  const members = Object.values(value);
  return (
    members.length > 0 &&
    members.every(
      (member) =>
        isSchemaObject(member) &&
        (typeof member['type'] === 'string' || typeof member['description'] === 'string'),
    )
  );
}

function fromFields(fields: Readonly<Record<string, Members>>, loc: Location): MetadataSchema {
  refuseReserved(Object.keys(fields), loc);
  const properties: [string, Members][] = [];
  const types: [string, string][] = [];
  for (const [name, field] of Object.entries(fields)) {
    const { type = 'string', ...rest } = field;
    const { asked, metadataType } = readType(type, [...loc, name, 'type']);
    if (metadataType !== null) types.push([name, metadataType]);
    const items =
      asked['type'] === 'array' && rest['items'] === undefined ? { items: { type: 'string' } } : {};
    properties.push([name, { ...rest, ...asked, ...items, type: [asked['type'], 'null'] }]);
  }
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties.map(withNullOption)),
      required: Object.keys(fields),
      additionalProperties: false,
    },
    types: Object.fromEntries(types),
  };
}

/** Adds null to the values of an enum, because the field is optional. */
function withNullOption([name, schema]: [string, Members]): [string, Members] {
  const options: unknown = schema['enum'];
  return [name, Array.isArray(options) ? { ...schema, enum: [...(options as unknown[]), null] } : schema];
}

function readType(type: unknown, loc: Location): { asked: Members; metadataType: string | null } {
  const isInteger = typeof type === 'string' && /^int(eger)?$/i.test(type);
  if (isInteger) return { asked: { type: 'integer' }, metadataType: null };
  const known = typeof type === 'string' ? metadataTypeNamed(type) : undefined;
  if (known === undefined || known === 'null') {
    const names = ['integer', ...METADATA_TYPES.filter((name) => name !== 'null')];
    throw Invalid.at(loc, `Input should be one of ${names.join(', ')}`, 'enum');
  }
  const special = SCHEMA_OF_TYPE[known];
  return special === undefined
    ? { asked: { type: known }, metadataType: null }
    : { asked: special, metadataType: known };
}

function fromSchema(schema: Members, loc: Location): MetadataSchema {
  const { type, properties } = schema;
  const isOfObject =
    type === 'object' ||
    (Array.isArray(type) && type.includes('object')) ||
    (type === undefined && OBJECT_KEYWORDS.some((keyword) => keyword in schema));
  if (!isOfObject) {
    throw Invalid.at(loc, 'Value error, expects a JSON Schema of an object, or {field: {type, description}}');
  }
  const known = isSchemaObject(properties) ? properties : {};
  refuseReserved(Object.keys(known), [...loc, 'properties']);
  const types = Object.entries(known).flatMap(([name, property]) => {
    const format = isSchemaObject(property) ? property['format'] : undefined;
    const metadataType = typeof format === 'string' ? FORMAT_TYPES[format] : undefined;
    return metadataType === undefined ? [] : [[name, metadataType] as const];
  });
  return { schema, types: Object.fromEntries(types) };
}

function refuseReserved(names: readonly string[], loc: Location): void {
  const problems = new Problems();
  for (const name of names.filter(isReservedKey)) {
    problems.add(
      [...loc, name],
      `Value error, ${name} is a reserved name and cannot be set through metadata`,
    );
  }
  problems.throwIfAny();
}
