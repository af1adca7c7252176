import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Invalid, type Location, violation } from '../errors/index.js';
import { Field, type FieldOptions } from '../http/input/fields.js';
import type { Parse } from '../http/input/input.pipe.js';
import { storableJson } from '../http/input/parse.js';
import { composed } from '../json/spelling.js';
import { ExactNumber, isJsonObject } from '../json/exact-json.js';
import { jsonKind, numberDefect, type Literal } from '../metadata/literal.js';
import type { MetadataType } from '../metadata/metadata-type.js';
import { isReservedKey, type TypedMetadata } from '../metadata/typed-metadata.js';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export const MAX_ATTRIBUTES = 16;
export const MAX_KEY_LENGTH = 64;
export const MAX_VALUE_LENGTH = 512;

/** Prefix of the metadata key of an attribute whose name is reserved in metadata or begins with this prefix. */
const ESCAPE = '~';

/** Returns the metadata key of an attribute. Keys have one spelling. */
export function metadataKeyOf(given: string): string {
  const attribute = composed(given);
  return isReservedKey(attribute) || attribute.startsWith(ESCAPE) ? ESCAPE + attribute : attribute;
}

function attributeOf(metadataKey: string): string {
  const name = metadataKey.slice(ESCAPE.length);
  return metadataKey === metadataKeyOf(name) ? name : metadataKey;
}

export function metadataOf(attributes: Attributes): TypedMetadata['metadata'] {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [metadataKeyOf(name), value]));
}

/** Adds the type of every value, so that a string in the format of a date remains a string. */
export function typed(metadata: TypedMetadata['metadata']): TypedMetadata {
  const types = Object.entries(metadata).map(([key, value]) => [key, typeOf(value)] as const);
  return { metadata, metadataTypes: Object.fromEntries(types) };
}

function typeOf(value: Literal): MetadataType {
  const kind = jsonKind(value);
  return kind === 'number' || kind === 'boolean' ? kind : 'string';
}

/**
 * Converts document metadata to attributes. Omits values that an attribute cannot have; documents from other routes may
 * have any metadata.
 */
export function attributesOf(metadata: Readonly<Record<string, unknown>>): Attributes {
  const attributes: [string, string | number | boolean][] = [];
  for (const [key, given] of Object.entries(metadata)) {
    const name = attributeOf(key);
    const value = given instanceof ExactNumber ? Number(given.literal) : given;
    const fits =
      typeof value === 'boolean' ||
      (typeof value === 'number' && Number.isFinite(value)) ||
      (typeof value === 'string' && isWithin(value, MAX_VALUE_LENGTH));
    if (fits && isWithin(name, MAX_KEY_LENGTH) && attributes.length < MAX_ATTRIBUTES)
      attributes.push([name, value]);
  }
  return Object.fromEntries(attributes);
}

/** Tells whether a text has at most `most` characters (code points). */
function isWithin(text: string, most: number): boolean {
  return text.length <= most || (text.length <= 2 * most && Array.from(text).length <= most);
}

/**
 * Parses a `metadata` or `attributes` map of the OpenAI protocol.
 * @throws Invalid for a map that exceeds the limits of the protocol.
 */
function mapOf(isValue: (value: unknown) => boolean, expected: string): Parse {
  return (value, loc) => {
    if (!isJsonObject(value)) throw violation(loc, 'isJsonObject');
    storableJson(value, loc);
    const entries = Object.entries(value);
    if (entries.length > MAX_ATTRIBUTES) {
      throw Invalid.at(loc, `Value error, at most ${MAX_ATTRIBUTES} keys are allowed, got ${entries.length}`);
    }
    for (const [key, member] of entries) checkMember(key, member, loc, isValue, expected);
    return value;
  };
}

function checkMember(
  key: string,
  value: unknown,
  loc: Location,
  isValue: (value: unknown) => boolean,
  expected: string,
): void {
  if (key === '' || !isWithin(key, MAX_KEY_LENGTH)) {
    throw Invalid.at(loc, `Value error, a key must have 1 to ${MAX_KEY_LENGTH} characters`);
  }
  const at = [...loc, key];
  if (!isValue(value)) throw Invalid.at(at, `Value error, a value must be ${expected}`);
  if (typeof value === 'number' || value instanceof ExactNumber) {
    const defect = numberDefect(value);
    if (defect !== undefined) throw Invalid.at(at, `Value error, a value must be a number, not ${defect}`);
  }
  if (typeof value === 'string' && !isWithin(value, MAX_VALUE_LENGTH)) {
    throw Invalid.at(at, `Value error, a value must have at most ${MAX_VALUE_LENGTH} characters`);
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isScalar = (value: unknown): boolean =>
  ['string', 'number', 'boolean'].includes(jsonKind(value) ?? 'none');

const parseAttributes = mapOf(isScalar, 'a string, a number or a boolean');
const parseMetadata = mapOf(isText, 'a string');

const SCALARS = [{ type: 'string', maxLength: MAX_VALUE_LENGTH }, { type: 'number' }, { type: 'boolean' }];

export const ATTRIBUTES_SCHEMA = {
  type: 'object',
  additionalProperties: { oneOf: SCALARS },
  maxProperties: MAX_ATTRIBUTES,
} as const satisfies ApiPropertyOptions;

export const METADATA_SCHEMA = {
  type: 'object',
  additionalProperties: { type: 'string', maxLength: MAX_VALUE_LENGTH },
  maxProperties: MAX_ATTRIBUTES,
} as const satisfies ApiPropertyOptions;

const LIMITS = `At most ${MAX_ATTRIBUTES} keys of ${MAX_KEY_LENGTH} characters; strings have at most ${MAX_VALUE_LENGTH}.`;

export function AttributesField(options: Pick<FieldOptions, 'required'> = {}): PropertyDecorator {
  return Field(
    {
      ...options,
      nullable: true,
      description: `Values for filters on the file. ${LIMITS}`,
      example: { customer: 'acme', year: 2026 },
      parse: parseAttributes,
    },
    ATTRIBUTES_SCHEMA,
  );
}

export function MetadataField(options: Pick<FieldOptions, 'required'> = {}): PropertyDecorator {
  return Field(
    {
      ...options,
      nullable: true,
      description: `Strings for the client's own use. ${LIMITS}`,
      example: { customer: 'acme' },
      parse: parseMetadata,
    },
    METADATA_SCHEMA,
  );
}
