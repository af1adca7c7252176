import { isJsonObject } from '../json/exact-json.js';
import { composedJson, composed } from '../json/spelling.js';
import { Problems, type Location } from '../errors/index.js';
import { describe, readLiteral, type Literal } from './literal.js';
import {
  coerceValue,
  inferType,
  keepType,
  metadataTypeNamed,
  METADATA_TYPES,
  type MetadataType,
} from './metadata-type.js';

const RESERVED = new Set([
  'folder_name',
  'folder_id',
  'folder_path',
  'external_id',
  'filename',
  'app_id',
  'owner_id',
  'end_user_id',
]);

/** Tells whether only the service may write a top-level metadata key. */
export function isReservedKey(key: string): boolean {
  return RESERVED.has(key);
}

export interface UntypedMetadata {
  /** Metadata of the request; null or undefined if the request has none. */
  readonly metadata: unknown;
  /** Types that the request declares by key, as names or aliases; null or undefined if the request declares none. */
  readonly declared?: unknown;
  /** Types of the stored document by key. Used for an update. */
  readonly previousTypes?: Readonly<Record<string, string>>;
  /** Values of the reserved keys of the document. Clients may send them back, but not change them. */
  readonly reserved?: Readonly<Record<string, unknown>>;
  /**
   * Metadata of the stored document. If the request declares a type for a key without giving a value, the stored value
   * is converted.
   */
  readonly stored?: Readonly<Record<string, unknown>>;
  readonly loc: Location;
  readonly typesLoc: Location;
}

export interface TypedMetadata {
  readonly metadata: Readonly<Record<string, Literal>>;
  /** The types by key. The keys are those of `metadata`. */
  readonly metadataTypes: Readonly<Record<string, MetadataType>>;
}

/**
 * Gives every top-level key a type. If the request declares a type for the key, the value is converted to this type. If
 * not, the key keeps its previous type if the value fits this type. Otherwise the type is inferred from the value. Null
 * fits every type.
 * @throws Invalid that lists every problem: reserved keys, unknown type names, values that do not fit their declared
 * type, text that PostgreSQL cannot store, numbers outside the range of a double.
 */
export function typeMetadata(input: UntypedMetadata): TypedMetadata {
  const { previousTypes = {}, reserved = {}, stored = {}, loc, typesLoc } = input;
  const problems = new Problems();
  const given = readObject(input.metadata, loc, 'metadata', problems);
  const declared = readDeclared(input.declared, typesLoc, problems);
  const values: [string, Literal][] = [];
  const types: [string, MetadataType][] = [];
  for (const [key, value] of Object.entries(given)) {
    if (isReservedKey(key)) {
      if (!Object.hasOwn(reserved, key) || composedJson(reserved[key]) !== composedJson(value)) {
        problems.add([...loc, key], `${key} is a reserved name and cannot be set through metadata`);
      }
      continue;
    }
    readLiteral({ [key]: value }, loc, 'metadata', problems);
    const typed = typeValue(value as Literal, [...loc, key], key);
    values.push([key, typed.value]);
    types.push([key, typed.type]);
  }
  for (const [key, type] of declared) {
    if (Object.hasOwn(given, key) || !Object.hasOwn(stored, key)) continue;
    values.push([key, declaredValue(stored[key] as Literal, type, [...typesLoc, key])]);
    types.push([key, type]);
  }
  problems.throwIfAny();
  return { metadata: Object.fromEntries(values), metadataTypes: Object.fromEntries(types) };

  function typeValue(value: Literal, at: Location, key: string): { value: Literal; type: MetadataType } {
    const type = declared.get(key);
    if (type === undefined) {
      const previous = Object.hasOwn(previousTypes, key)
        ? metadataTypeNamed(previousTypes[key] ?? '')
        : undefined;
      return keepType(value, previous) ?? { value, type: inferType(value) };
    }
    return { value: declaredValue(value, type, at), type };
  }

  function declaredValue(value: Literal, type: MetadataType, at: Location): Literal {
    const coerced = coerceValue(value, type);
    if (coerced === undefined)
      problems.add(at, `the declared type ${type} expects ${EXPECTED[type]}, got ${describe(value)}`);
    return coerced ?? value;
  }
}

const EXPECTED: Readonly<Record<MetadataType, string>> = {
  string: 'a string, a number or a boolean',
  number: 'a number or a numeric string',
  decimal: 'a number or a numeric string',
  boolean: 'true or false, yes or no, on or off, or a number',
  datetime: 'an ISO 8601 date-time or seconds since 1970',
  date: 'an ISO 8601 date or date-time or seconds since 1970',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

function readDeclared(value: unknown, loc: Location, problems: Problems): ReadonlyMap<string, MetadataType> {
  const types = new Map<string, MetadataType>();
  for (const [key, name] of Object.entries(readObject(value, loc, 'metadata_types', problems))) {
    const type = typeof name === 'string' ? metadataTypeNamed(name) : undefined;
    if (type !== undefined) types.set(key, type);
    else {
      problems.add(
        [...loc, key],
        `a metadata type expects one of ${METADATA_TYPES.join(', ')}, got ${describe(name)}`,
      );
    }
  }
  return types;
}

function readObject(
  value: unknown,
  loc: Location,
  what: string,
  problems: Problems,
): Readonly<Record<string, unknown>> {
  if (value === null || value === undefined) return {};
  // Keys are identifiers, which have one spelling.
  if (isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [composed(key), member]));
  }
  problems.add(loc, `${what} expects an object, got ${describe(value)}`, 'dict_type');
  return {};
}

type Values<T> = Readonly<Record<string, T>>;

/** Values and types by key. A key may have a type without having a value. */
interface Typed<Value, Type> {
  readonly metadata: Values<Value>;
  readonly metadataTypes: Values<Type>;
}

export function omit<T>(values: Values<T>, keys: readonly string[]): Record<string, T> {
  const omitted = new Set(keys);
  return Object.fromEntries(Object.entries(values).filter(([key]) => !omitted.has(key)));
}

export function omitTyped<Value, Type>(
  { metadata, metadataTypes }: Typed<Value, Type>,
  keys: readonly string[],
): Typed<Value, Type> {
  return { metadata: omit(metadata, keys), metadataTypes: omit(metadataTypes, keys) };
}

/**
 * Merges two sets of metadata. If both have a value for a key, the result has the value and the type of `above`. The
 * type of `below` is dropped even if `above` has no type for the key.
 */
export function overlaid<Value, Type>(
  below: Typed<Value, Type>,
  above: Typed<Value, Type>,
): Typed<Value, Type> {
  const rest = omitTyped(below, Object.keys(above.metadata));
  return {
    metadata: { ...rest.metadata, ...above.metadata },
    metadataTypes: { ...rest.metadataTypes, ...above.metadataTypes },
  };
}
