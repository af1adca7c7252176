import { wording } from '../../errors/index.js';
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
  IsPositive,
  IsString,
  Max,
  Min,
} from 'class-validator';
import { VISIBLE_CHARACTER } from '#reader';
import { decimalOf, ExactNumber } from '../../json/exact-json.js';
import { IsJsonObject, IsNotBlank, IsStorable, MaxBytes, MaxCharacters } from './constraints.js';
import { choice, eachOf, eachValueOf, inTurn, storableJson, text } from './parse.js';
import { Reading, readInput, type Parse, type Type } from './input.pipe.js';

export interface FieldOptions {
  readonly description: string;
  readonly example?: unknown;
  /** Whether an absent value is an error. If it is not, the initial value of the property is the default. */
  readonly required?: boolean;
  readonly nullable?: boolean;
  /**
   * Whether the value arrives as text, because it comes from a query string or a form. Numbers and booleans are then
   * parsed, and a single value counts as a list with one member.
   */
  readonly inText?: boolean;
  /** Converts the value. Called only if every constraint is met. */
  readonly parse?: Parse | undefined;
  /** Further properties for the OpenAPI document. */
  readonly openapi?: ApiPropertyOptions;
}

type SchemaObject = Extract<
  NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string],
  { properties?: unknown }
>;

const DESCRIPTION = Symbol('description');

/** Returns the OpenAPI options of a member. */
export function descriptionOf(type: Type, member: string): ApiPropertyOptions {
  return Reflect.getMetadata(DESCRIPTION, type.prototype as object, member) as ApiPropertyOptions;
}

/** Returns the inline schema of a class. */
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

/**
 * The base of every field decorator. Sets the OpenAPI property, the check for presence, and the constraints.
 *
 * @param convert converts the raw value before the constraints are checked
 * @param parses parse the value in this order, after the constraints are checked and before `options.parse`
 */
function field(
  { description, example, required = false, nullable = false, parse, openapi }: FieldOptions,
  schema: ApiPropertyOptions,
  constraints: readonly PropertyDecorator[] = [],
  parses: readonly Parse[] = [],
  convert?: (value: unknown) => unknown,
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
    Reading({
      required,
      nullable,
      convert,
      parse: inTurn(...parses, ...(parse === undefined ? [] : [parse])),
    }),
    ...constraints,
  );
}

/**
 * Allows null together with `enum` or `oneOf`. In OpenAPI 3.0, `nullable` is not enough for such a schema. It must also
 * list null.
 */
function listingNull({ enum: values, oneOf }: ApiPropertyOptions): object {
  if (Array.isArray(values)) return { enum: [...(values as unknown[]), null] };
  const [first, ...others] = oneOf ?? [];
  return first === undefined ? {} : { oneOf: [{ ...first, nullable: true }, ...others] };
}

/** A field with its own class-validator decorators. */
export const Field = (
  options: FieldOptions,
  schema: ApiPropertyOptions,
  ...constraints: readonly PropertyDecorator[]
): PropertyDecorator => field(options, schema, constraints);

interface TextOptions extends FieldOptions {
  readonly notEmpty?: boolean;
  readonly notBlank?: boolean;
  readonly maxLength?: number;
  readonly maxBytes?: number;
}

export const NOT_BLANK = String.raw`\S`;

/** A text field. Its value can be stored and searched. */
export function TextField(options: TextOptions): PropertyDecorator {
  const { notEmpty = false, notBlank = false, maxLength, maxBytes } = options;
  const maxCharacters = maxLength ?? maxBytes;
  const schema: ApiPropertyOptions = {
    type: 'string',
    ...(notEmpty ? { minLength: 1 } : {}),
    ...(notBlank ? { pattern: VISIBLE_CHARACTER } : {}),
    ...(maxCharacters === undefined ? {} : { maxLength: maxCharacters }),
  };
  return field(options, schema, [
    IsString(wording('isString')),
    ...(notEmpty ? [IsNotEmpty(wording('isNotEmpty'))] : []),
    ...(maxLength === undefined ? [] : [MaxCharacters(maxLength)]),
    ...(maxBytes === undefined ? [] : [MaxBytes(maxBytes)]),
    ...(notBlank ? [IsNotBlank()] : []),
    IsStorable(),
  ]);
}

interface NumericOptions extends FieldOptions {
  readonly positive?: boolean;
  readonly min?: number;
  readonly max?: number;
}

/** Range of PostgreSQL's `integer`. Integer fields have these bounds by default. */
const LEAST = -2_147_483_648;
const GREATEST = 2_147_483_647;

export function IntegerField(options: NumericOptions): PropertyDecorator {
  const { positive = false, min = positive ? undefined : LEAST, max = GREATEST } = options;
  const asInteger = (value: unknown): unknown =>
    value instanceof ExactNumber && decimalOf(value.literal).exponent >= 0 ? asDouble(value) : value;
  const bounded = { ...options, ...(min === undefined ? {} : { min }), max };
  return numeric('integer', bounded, IsInt(wording('isInt')), asInteger);
}

export const NumberField = (options: NumericOptions): PropertyDecorator =>
  numeric('number', options, IsNumber({}, wording('isNumber')), asDouble);

function numeric(
  type: 'integer' | 'number',
  options: NumericOptions,
  constraint: PropertyDecorator,
  convert: (value: unknown) => unknown,
): PropertyDecorator {
  const { positive = false, min, max, inText = false } = options;
  const schema: ApiPropertyOptions = {
    type,
    ...(positive ? { minimum: 0, exclusiveMinimum: true } : {}),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  };
  const constraints = [
    constraint,
    ...(positive ? [IsPositive(wording('isPositive'))] : []),
    ...(min === undefined ? [] : [Min(min, wording('min', min))]),
    ...(max === undefined ? [] : [Max(max, wording('max', max))]),
  ];
  return field(options, schema, constraints, [], inText ? numberIn : convert);
}

const numberIn = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;

/** Rounds an exact number to a double, which has enough digits for thresholds and counts. */
function asDouble(value: unknown): unknown {
  if (!(value instanceof ExactNumber)) return value;
  const number = Number(value.literal);
  return Number.isFinite(number) ? number : Math.sign(number) * Number.MAX_VALUE;
}

export const FlagField = (options: FieldOptions): PropertyDecorator =>
  field(
    options,
    { type: 'boolean' },
    [IsBoolean(wording('isBoolean'))],
    [],
    options.inText ? flagIn : undefined,
  );

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
]);

const flagIn = (value: unknown): unknown =>
  typeof value === 'string' ? (FLAGS.get(value.toLowerCase()) ?? value) : value;

interface ChoiceOptions extends FieldOptions {
  readonly values: readonly string[];
}

export const ChoiceField = ({ values, ...options }: ChoiceOptions): PropertyDecorator =>
  field(options, { type: 'string', enum: [...values] }, [IsIn(values, wording('isIn', values))]);

interface ListOptions extends FieldOptions {
  readonly maxSize?: number;
}

function list(options: ListOptions, schema: ApiPropertyOptions, parse: Parse): PropertyDecorator {
  const { maxSize, inText = false } = options;
  const constraints = [
    IsArray(wording('isArray')),
    ...(maxSize === undefined ? [] : [ArrayMaxSize(maxSize, wording('arrayMaxSize', maxSize))]),
  ];
  const bound = maxSize === undefined ? {} : { maxItems: maxSize };
  const listIn = (value: unknown): unknown => (typeof value === 'string' ? [value] : value);
  return field(options, { ...schema, ...bound }, constraints, [eachOf(parse)], inText ? listIn : undefined);
}

export const TextListField = (options: ListOptions): PropertyDecorator =>
  list(options, { type: 'array', items: { type: 'string' } }, text);

export const ChoiceListField = ({ values, ...options }: ChoiceOptions): PropertyDecorator =>
  list(options, { type: 'array', items: { type: 'string', enum: [...values] } }, choice(values));

export const ParsedObjectField = (options: FieldOptions & { readonly parse: Parse }): PropertyDecorator =>
  field(options, { type: 'object', additionalProperties: true }, [IsJsonObject()]);

/** A free-form JSON object, which is kept unchanged. Every key and string in it can be stored. */
export const JsonObjectField = (options: FieldOptions): PropertyDecorator =>
  ParsedObjectField({ ...options, parse: storableJson });

/** An object whose values are strings. */
export const TextMapField = (options: FieldOptions): PropertyDecorator =>
  field(
    options,
    { type: 'object', additionalProperties: { type: 'string' } },
    [IsJsonObject()],
    [storableJson, eachValueOf(text)],
  );

const nested =
  (type: () => Type): Parse =>
  (value, loc, settings) =>
    readInput(type(), value, loc, settings);

interface NestedOptions extends ListOptions {
  readonly type: () => Type;
}

export const NestedField = ({ type, ...options }: NestedOptions): PropertyDecorator =>
  field(options, { type }, [], [nested(type)]);

export const NestedListField = ({ type, ...options }: NestedOptions): PropertyDecorator =>
  list(options, { type, isArray: true }, nested(type));
