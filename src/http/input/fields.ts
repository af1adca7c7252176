import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, type OpenAPIObject } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsPositive,
  IsString,
  Max,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { decimalOf, ExactNumber } from '../../json/exact-json.js';
import { isJsonObject } from '../../json/json-object.js';
import {
  IsJsonObject,
  IsNotBlank,
  IsStorable,
  MaxBytes,
  MaxCharacters,
  Parsed,
  type Parse,
} from './constraints.js';
import { told, unmet } from './exception-factory.js';
import { choice, eachOf, eachValueOf, inTurn, storableJson, text } from './parse.js';
import { Converted, plainToInstance, type Type } from './plain-to-instance.js';

export interface FieldOptions {
  readonly description: string;
  readonly example?: unknown;
  /** Absent is an error. Otherwise the property's initial value stands for an absent one. */
  readonly required?: boolean;
  readonly nullable?: boolean;
  /** Runs when every constraint holds. */
  readonly parse?: Parse | undefined;
  /** More for the OpenAPI document. */
  readonly openapi?: ApiPropertyOptions;
}

type SchemaObject = Extract<
  NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string],
  { properties?: unknown }
>;

const DESCRIPTION = Symbol('description');

/** What the OpenAPI document says of a member. */
export function descriptionOf(type: Type, member: string): ApiPropertyOptions {
  return Reflect.getMetadata(DESCRIPTION, type.prototype as object, member) as ApiPropertyOptions;
}

/** The schema of an object, written out where it stands. */
export function schemaOf(type: Type): SchemaObject {
  const members = Object.keys(new type()).map((name) => {
    const { required, ...schema } = descriptionOf(type, name) as { required?: boolean } & SchemaObject;
    return { name, isRequired: required === true, schema };
  });
  return {
    type: 'object',
    required: members.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
  };
}

/** The decorators that every member of an input has: its OpenAPI property, its presence, its constraints. */
export function Field(
  { description, example, required = false, nullable = false, parse, openapi }: FieldOptions,
  schema: ApiPropertyOptions,
  ...constraints: readonly PropertyDecorator[]
): PropertyDecorator {
  const property = {
    description,
    required,
    ...(nullable && schema.type !== undefined ? { nullable } : {}),
    ...(example === undefined ? {} : { example }),
    ...schema,
    ...(nullable ? listingNull(schema) : {}),
    ...openapi,
  };
  return applyDecorators(
    ApiProperty(property as ApiPropertyOptions),
    Reflect.metadata(DESCRIPTION, property),
    ...(nullable ? [IsOptional()] : required ? [] : [ValidateIf((_object, value) => value !== undefined)]),
    ...constraints,
    ...(parse === undefined ? [] : [Parsed(parse)]),
  );
}

/** `nullable` alone is not enough in OpenAPI 3.0 where values are listed or there are alternatives: one has to be null. */
function listingNull({ enum: values, oneOf }: ApiPropertyOptions): object {
  if (Array.isArray(values)) return { enum: [...(values as unknown[]), null] };
  const [first, ...others] = oneOf ?? [];
  return first === undefined ? {} : { oneOf: [{ ...first, nullable: true }, ...others] };
}

interface TextOptions extends FieldOptions {
  readonly notEmpty?: boolean;
  readonly notBlank?: boolean;
  /** Characters. */
  readonly maxLength?: number;
  /** In UTF-8. */
  readonly maxBytes?: number;
}

/** The pattern of a text that is not blank. */
export const NOT_BLANK = String.raw`\S`;

/** A string that can be stored and searched. */
export function TextField(options: TextOptions): PropertyDecorator {
  const { notEmpty = false, notBlank = false, maxLength, maxBytes } = options;
  const maxCharacters = maxLength ?? maxBytes;
  return Field(
    options,
    {
      type: 'string',
      ...(notEmpty ? { minLength: 1 } : {}),
      ...(notBlank ? { pattern: NOT_BLANK } : {}),
      ...(maxCharacters === undefined ? {} : { maxLength: maxCharacters }),
    },
    IsString(told('isString')),
    ...(notEmpty ? [IsNotEmpty(told('isNotEmpty'))] : []),
    ...(maxLength === undefined ? [] : [MaxCharacters(maxLength)]),
    ...(maxBytes === undefined ? [] : [MaxBytes(maxBytes)]),
    ...(notBlank ? [IsNotBlank()] : []),
    IsStorable(),
  );
}

interface NumericOptions extends FieldOptions {
  readonly positive?: boolean;
  readonly min?: number;
  readonly max?: number;
}

function numeric(
  type: 'integer' | 'number',
  options: NumericOptions,
  ...constraints: readonly PropertyDecorator[]
): PropertyDecorator {
  const { positive = false, min, max } = options;
  return Field(
    options,
    {
      type,
      ...(positive ? { minimum: 0, exclusiveMinimum: true } : {}),
      ...(min === undefined ? {} : { minimum: min }),
      ...(max === undefined ? {} : { maximum: max }),
    },
    ...constraints,
    ...(positive ? [IsPositive(told('isPositive'))] : []),
    ...(min === undefined ? [] : [Min(min, told('min', min))]),
    ...(max === undefined ? [] : [Max(max, told('max', max))]),
  );
}

/** What PostgreSQL's `integer` holds: the bounds of every integer that has no others. */
const LEAST = -2_147_483_648;
const GREATEST = 2_147_483_647;

export function IntegerField(options: NumericOptions): PropertyDecorator {
  const asInteger = (value: unknown): unknown =>
    value instanceof ExactNumber && decimalOf(value.literal).exponent >= 0 ? asDouble(value) : value;
  const { positive = false, min = LEAST, max = GREATEST, parse } = options;
  // After `parse`, whose bound may be narrower and is the one to name.
  const withinBounds: Parse = (value, loc) => {
    if (Number(value) > max) throw unmet(loc, 'max', max);
    if (Number(value) < min) throw unmet(loc, 'min', min);
    return value;
  };
  return numeric(
    'integer',
    {
      ...options,
      parse: parse === undefined ? withinBounds : inTurn(parse, withinBounds),
      openapi: { ...(positive ? {} : { minimum: min }), maximum: max, ...options.openapi },
    },
    Converted(asInteger),
    IsInt(told('isInt')),
  );
}

export function NumberField(options: NumericOptions): PropertyDecorator {
  return numeric('number', options, Converted(asDouble), IsNumber({}, told('isNumber')));
}

/** Digits beyond a double do not matter where numbers are thresholds and counts. */
function asDouble(value: unknown): unknown {
  if (!(value instanceof ExactNumber)) return value;
  const number = Number(value.literal);
  return Number.isFinite(number) ? number : Math.sign(number) * Number.MAX_VALUE;
}

export function FlagField(options: FieldOptions): PropertyDecorator {
  return Field(options, { type: 'boolean' }, IsBoolean(told('isBoolean')));
}

interface ChoiceOptions extends FieldOptions {
  readonly values: readonly string[];
}

export function ChoiceField(options: ChoiceOptions): PropertyDecorator {
  return Field(
    options,
    { type: 'string', enum: [...options.values] },
    IsIn(options.values, told('isIn', options.values)),
  );
}

export function ChoiceListField(options: ChoiceOptions): PropertyDecorator {
  const { values } = options;
  const items = { type: 'string', enum: [...values] };
  return Field(withParse(eachOf(choice(values)), options), { type: 'array', items }, ...listOf(options));
}

/** The options of a field that has a parse of its own before the one that it is given. */
function withParse(parse: Parse, options: FieldOptions): FieldOptions {
  return { ...options, parse: options.parse === undefined ? parse : inTurn(parse, options.parse) };
}

interface ListOptions extends FieldOptions {
  readonly maxSize?: number;
}

const listOf = ({ maxSize }: ListOptions): PropertyDecorator[] => [
  IsArray(told('isArray')),
  ...(maxSize === undefined ? [] : [ArrayMaxSize(maxSize, told('arrayMaxSize', maxSize))]),
];

const maxItems = ({ maxSize }: ListOptions): object => (maxSize === undefined ? {} : { maxItems: maxSize });

export function TextListField(options: ListOptions): PropertyDecorator {
  const items = { type: 'string' };
  return Field(
    withParse(eachOf(text), options),
    { type: 'array', items, ...maxItems(options) },
    ...listOf(options),
  );
}

/** Any JSON object, carried as it came, for a parser of its own (`filters`, for one). */
export function ParsedObjectField(options: FieldOptions & { readonly parse: Parse }): PropertyDecorator {
  return Field(options, { type: 'object', additionalProperties: true }, IsJsonObject());
}

/** A free-form JSON object, carried as it came; every key and string of it can be stored. */
export function JsonObjectField(options: FieldOptions): PropertyDecorator {
  return ParsedObjectField({ ...options, parse: storableJson });
}

/** An object whose values are strings. */
export function TextMapField(options: FieldOptions): PropertyDecorator {
  return Field(
    withParse(inTurn(storableJson, eachValueOf(text)), options),
    { type: 'object', additionalProperties: { type: 'string' } },
    IsJsonObject(),
  );
}

export function NestedField(options: FieldOptions & { readonly type: () => Type }): PropertyDecorator {
  return Field(
    options,
    { type: options.type },
    Converted((value) => (isJsonObject(value) ? plainToInstance(options.type(), value) : value)),
    IsJsonObject(),
    ValidateNested(),
  );
}

export function NestedListField(options: ListOptions & { readonly type: () => Type }): PropertyDecorator {
  // What is no object becomes null, which is refused; class-validator would go into lists of lists as deep as they are.
  const instances = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map((member) => (isJsonObject(member) ? plainToInstance(options.type(), member) : null))
      : value;
  return Field(
    options,
    { type: options.type, isArray: true, ...maxItems(options) },
    Converted(instances),
    ...listOf(options),
    ValidateNested(told('nestedValidation')),
  );
}

/** Query strings are text. A number in one is read where the class expects it. */
export const NumberInText = (): PropertyDecorator =>
  Converted((value) => (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value));

/** A flag in one, in the words and the case that clients write it in. */
export const FlagInText = (): PropertyDecorator =>
  Converted((value) => (typeof value === 'string' ? (FLAGS.get(value.toLowerCase()) ?? value) : value));

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
]);

/** In a query string a list is a repeated name, and one name is a list of one. */
export const ListInText = (): PropertyDecorator =>
  Converted((value) => (typeof value === 'string' ? [value] : value));
