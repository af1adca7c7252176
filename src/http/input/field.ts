import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';
import type { Settings } from '../../config/settings.js';
import type { Location } from '../../errors/index.js';
import type { Check } from './check.js';

/**
 * Turns a checked value into what services take, or finds what is wrong inside it.
 * @throws Invalid with every item, located under `loc`.
 */
export type Parse = (value: unknown, loc: Location, settings: Settings) => unknown;

/** How one member of a body or query string is read. */
export interface FieldRules {
  readonly name: string;
  readonly required: boolean;
  readonly nullable: boolean;
  /** Text to value, for members of a query string. */
  readonly decode: (text: string) => unknown;
  readonly parse: Parse | undefined;
}

export interface FieldOptions {
  readonly description: string;
  readonly example?: unknown;
  /** Absent is an error. Otherwise the property's initial value stands for an absent one. */
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly parse?: Parse;
  /** More for the OpenAPI document. */
  readonly openapi?: ApiPropertyOptions;
}

interface FieldDefinition extends FieldOptions {
  readonly checks: readonly Check[];
  readonly decode?: (text: string) => unknown;
}

const FIELDS = Symbol('fields');

/**
 * The one decorator under all field decorators: class-validator constraints (named like the item types of a 422, so
 * that an error needs no translation), the rules of presence and null, and the OpenAPI property.
 */
export function Field(definition: FieldDefinition): PropertyDecorator {
  const { required = false, nullable = false, checks, decode = (text) => text, parse } = definition;
  return (target, property) => {
    const name = String(property);
    addField(target, { name, required, nullable, decode, parse });
    ValidateIf((_object, value: unknown) => value !== undefined && !(nullable && value === null))(
      target,
      property,
    );
    for (const check of checks) constraint(check)(target, property);
    ApiProperty(openApiOf(definition))(target, property);
  };
}

function constraint({ type, msg, holds }: Check): PropertyDecorator {
  return ValidateBy({ name: type, validator: { validate: holds, defaultMessage: () => msg } });
}

function openApiOf({ description, example, required = false, nullable = false, openapi }: FieldDefinition) {
  return {
    description,
    required,
    ...(nullable ? { nullable } : {}),
    ...(example === undefined ? {} : { example }),
    ...openapi,
  } as ApiPropertyOptions;
}

function addField(target: object, field: FieldRules): void {
  const own = Reflect.getOwnMetadata(FIELDS, target) as FieldRules[] | undefined;
  Reflect.defineMetadata(FIELDS, [...(own ?? []), field], target);
}

/** Fields in the order in which they are declared, those of a base class first. */
export function fieldsOf(type: Type): FieldRules[] {
  return chainOf(type).flatMap(
    (prototype) => (Reflect.getOwnMetadata(FIELDS, prototype) as FieldRules[] | undefined) ?? [],
  );
}

/** A class of input; made without arguments. */
export type Type<T extends object = object> = new () => T;

/** Prototypes from the base class down. */
export function chainOf(type: Type): object[] {
  const chain: object[] = [];
  let prototype: unknown = type.prototype;
  while (typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype) {
    chain.unshift(prototype);
    prototype = Object.getPrototypeOf(prototype);
  }
  return chain;
}
