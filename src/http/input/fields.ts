import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
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
import { decimalOf, ExactNumber } from '../../json/exact-number.js';
import { isJsonObject } from '../../json/json-object.js';
import { IsJsonObject, IsNotBlank, IsStorable, MaxCharacters, Parsed, type Parse } from './constraints.js';
import { eachValueOf, inTurn, storableJson, text } from './parse.js';
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

const DESCRIPTION = Symbol('description');

/** What the OpenAPI document says of a member. */
export function descriptionOf(type: Type, member: string): ApiPropertyOptions {
  return Reflect.getMetadata(DESCRIPTION, type.prototype as object, member) as ApiPropertyOptions;
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
    ...(nullable ? { nullable } : {}),
    ...(example === undefined ? {} : { example }),
    ...schema,
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

interface TextOptions extends FieldOptions {
  readonly notEmpty?: boolean;
  readonly notBlank?: boolean;
  readonly maxLength?: number;
}

/** A string that can be stored and searched. */
export function TextField(options: TextOptions): PropertyDecorator {
  const { notEmpty = false, notBlank = false, maxLength } = options;
  return Field(
    options,
    {
      type: 'string',
      ...(notEmpty ? { minLength: 1 } : {}),
      ...(maxLength === undefined ? {} : { maxLength }),
    },
    IsString(),
    ...(notEmpty ? [IsNotEmpty()] : []),
    ...(maxLength === undefined ? [] : [MaxCharacters(maxLength)]),
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
    ...(positive ? [IsPositive()] : []),
    ...(min === undefined ? [] : [Min(min)]),
    ...(max === undefined ? [] : [Max(max)]),
  );
}

export function IntegerField(options: NumericOptions): PropertyDecorator {
  const asInteger = (value: unknown): unknown =>
    value instanceof ExactNumber && decimalOf(value.literal).exponent >= 0 ? asDouble(value) : value;
  return numeric('integer', options, Converted(asInteger), IsInt());
}

export function NumberField(options: NumericOptions): PropertyDecorator {
  return numeric('number', options, Converted(asDouble), IsNumber());
}

/** Digits beyond a double do not matter where numbers are thresholds and counts. */
function asDouble(value: unknown): unknown {
  if (!(value instanceof ExactNumber)) return value;
  const number = Number(value.literal);
  return Number.isFinite(number) ? number : Math.sign(number) * Number.MAX_VALUE;
}

export function FlagField(options: FieldOptions): PropertyDecorator {
  return Field(options, { type: 'boolean' }, IsBoolean());
}

interface ChoiceOptions extends FieldOptions {
  readonly values: readonly string[];
}

export function ChoiceField(options: ChoiceOptions): PropertyDecorator {
  return Field(options, { type: 'string', enum: [...options.values] }, IsIn(options.values));
}

export function ChoiceListField(options: ChoiceOptions): PropertyDecorator {
  const { values } = options;
  const items = { type: 'string', enum: [...values] };
  return Field(options, { type: 'array', items }, IsArray(), IsIn(values, { each: true }));
}

interface ListOptions extends FieldOptions {
  readonly maxSize?: number;
}

const listOf = ({ maxSize }: ListOptions): PropertyDecorator[] => [
  IsArray(),
  ...(maxSize === undefined ? [] : [ArrayMaxSize(maxSize)]),
];

export function TextListField(options: ListOptions): PropertyDecorator {
  return Field(
    options,
    { type: 'array', items: { type: 'string' } },
    ...listOf(options),
    IsString({ each: true }),
    IsStorable({ each: true }),
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
export function TextMapField({ parse, ...options }: FieldOptions): PropertyDecorator {
  const values = inTurn(storableJson, eachValueOf(text));
  return Field(
    { ...options, parse: parse === undefined ? values : inTurn(values, parse) },
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
    { type: options.type, isArray: true },
    Converted(instances),
    ...listOf(options),
    ValidateNested(),
  );
}

/** Query strings are text. A number in one is read where the class expects it. */
export const NumberInText = (): PropertyDecorator =>
  Converted((value) => (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value));

/** In a query string a list is a repeated name, and one name is a list of one. */
export const ListInText = (): PropertyDecorator =>
  Converted((value) => (typeof value === 'string' ? [value] : value));
