import type { ApiPropertyOptions } from '@nestjs/swagger';
import {
  hasLength,
  isAtMost,
  isDictionary,
  isFlag,
  isInteger,
  isList,
  isNotBlank,
  isNumber,
  isOneOf,
  isStorable,
  isText,
  isWithin,
  type Bounds,
} from './check.js';
import { Field, type FieldOptions, type Parse, type Type } from './field.js';
import { asDouble, asStorableJson, checked, eachOf, eachValueOf, inTurn, nested } from './parse.js';
import type { Settings } from '../../config/settings.js';

interface TextOptions extends FieldOptions {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly notBlank?: boolean;
}

/** A string that can be stored and searched. */
export function TextField(options: TextOptions): PropertyDecorator {
  const { minLength, maxLength, notBlank = false } = options;
  const length = {
    ...(minLength === undefined ? {} : { min: minLength }),
    ...(maxLength === undefined ? {} : { max: maxLength }),
  };
  return Field({
    ...options,
    checks: [isText, ...hasLength(length), ...(notBlank ? [isNotBlank] : []), isStorable],
    openapi: {
      type: 'string',
      ...(minLength === undefined ? {} : { minLength }),
      ...(maxLength === undefined ? {} : { maxLength }),
      ...options.openapi,
    },
  });
}

interface NumericOptions extends FieldOptions, Bounds {
  /** An upper bound that the settings decide. */
  readonly maxOf?: (settings: Settings) => number;
}

function numeric(type: 'integer' | 'number', options: NumericOptions): PropertyDecorator {
  const { maxOf, parse } = options;
  const atMost: Parse = (value, loc, settings) =>
    maxOf === undefined ? value : checked(isAtMost(maxOf(settings)))(value, loc, settings);
  return Field({
    ...options,
    checks: [type === 'integer' ? isInteger : isNumber, ...isWithin(options)],
    decode: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text),
    parse: inTurn(asDouble, atMost, ...(parse === undefined ? [] : [parse])),
    openapi: { type, ...openApiBounds(options), ...options.openapi } as ApiPropertyOptions,
  });
}

function openApiBounds({ greaterThan, min, max }: Bounds): ApiPropertyOptions {
  return {
    ...(greaterThan === undefined ? {} : { minimum: greaterThan, exclusiveMinimum: true }),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  };
}

export function IntegerField(options: NumericOptions): PropertyDecorator {
  return numeric('integer', options);
}

export function NumberField(options: NumericOptions): PropertyDecorator {
  return numeric('number', options);
}

export function FlagField(options: FieldOptions): PropertyDecorator {
  return Field({
    ...options,
    checks: [isFlag],
    decode: (text) => (text === 'true' ? true : text === 'false' ? false : text),
    openapi: { type: 'boolean', ...options.openapi },
  });
}

export function ChoiceField(
  options: FieldOptions & { readonly values: readonly string[] },
): PropertyDecorator {
  return Field({
    ...options,
    checks: [isOneOf(options.values)],
    openapi: { type: 'string', enum: [...options.values], ...options.openapi },
  });
}

/** A free-form JSON object, carried as it came; every key and string of it can be stored. */
export function JsonObjectField(options: FieldOptions): PropertyDecorator {
  return Field({
    ...options,
    checks: [isDictionary],
    parse: options.parse === undefined ? asStorableJson : inTurn(asStorableJson, options.parse),
    openapi: { type: 'object', additionalProperties: true, ...options.openapi } as ApiPropertyOptions,
  });
}

/** Any JSON object, carried as it came, for a parser of its own (`filters`, for one). */
export function ParsedObjectField(options: FieldOptions & { readonly parse: Parse }): PropertyDecorator {
  return Field({
    ...options,
    checks: [isDictionary],
    openapi: { type: 'object', additionalProperties: true, ...options.openapi } as ApiPropertyOptions,
  });
}

/** An object whose values are strings. */
export function TextMapField(options: FieldOptions): PropertyDecorator {
  const values = inTurn(asStorableJson, eachValueOf(checked(isText)));
  return Field({
    ...options,
    checks: [isDictionary],
    parse: options.parse === undefined ? values : inTurn(values, options.parse),
    openapi: {
      type: 'object',
      additionalProperties: { type: 'string' },
      ...options.openapi,
    } as ApiPropertyOptions,
  });
}

export function TextListField(options: FieldOptions): PropertyDecorator {
  const values = eachOf(checked(isText, isStorable));
  return Field({
    ...options,
    checks: [isList],
    // In a query string a list is a repeated name, and one name is a list of one.
    decode: (text) => [text],
    parse: options.parse === undefined ? values : inTurn(values, options.parse),
    openapi: { type: 'array', items: { type: 'string' }, ...options.openapi },
  });
}

export function NestedField(options: FieldOptions & { readonly type: () => Type }): PropertyDecorator {
  return Field({
    ...options,
    checks: [isDictionary],
    parse: nested(options.type),
    openapi: { type: options.type, ...options.openapi },
  });
}

export function NestedListField(options: FieldOptions & { readonly type: () => Type }): PropertyDecorator {
  return Field({
    ...options,
    checks: [isList],
    parse: inTurn(...(options.parse === undefined ? [] : [options.parse]), eachOf(nested(options.type))),
    openapi: { type: options.type, isArray: true, ...options.openapi },
  });
}
