import { Inject, Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { readInput, type Type } from './read-input.js';

const PLACES = { body: ['body'], query: ['query'], param: ['path'] } as const;

/** What Nest gives for an argument without a class of its own. */
const PLAIN: readonly unknown[] = [undefined, String, Boolean, Number, Array, Object];

/** Bodies, query strings and path parameters as instances of their classes. */
@Injectable()
export class InputPipe implements PipeTransform {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'custom' || PLAIN.includes(metatype)) return value;
    return readInput(metatype as Type, value, PLACES[type], this.settings);
  }
}
