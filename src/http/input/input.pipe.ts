import { Inject, Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Invalid } from '../../errors/index.js';
import { isJsonObject } from './check.js';
import { fieldsOf, type Type } from './field.js';
import { readInput } from './read-input.js';

const PLACES = { body: 'body', query: 'query', param: 'path', custom: undefined } as const;

/**
 * Reads bodies, query strings and path parameters whose declared class carries field decorators. Everything else passes
 * as it is.
 */
@Injectable()
export class InputPipe implements PipeTransform {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  transform(value: unknown, { type, metatype, data }: ArgumentMetadata): unknown {
    const place = PLACES[type];
    if (place === undefined || data !== undefined || !isInputClass(metatype)) return value;
    if (place === 'body' && value === undefined) throw Invalid.at(['body'], 'Field required', 'missing');
    const raw = place === 'body' ? value : decoded(value, metatype);
    return readInput(metatype, raw, [place], this.settings);
  }
}

function isInputClass(metatype: ArgumentMetadata['metatype']): metatype is Type {
  return metatype !== undefined && fieldsOf(metatype as Type).length > 0;
}

/** Query strings and paths are text: numbers and flags are read from it where the class expects them. */
function decoded(value: unknown, type: Type): unknown {
  if (!isJsonObject(value)) return {};
  const members = fieldsOf(type).map(({ name, decode }) => {
    const text = value[name];
    return [name, typeof text === 'string' ? decode(text) : text] as const;
  });
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}
