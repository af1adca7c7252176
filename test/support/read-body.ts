import type { Settings } from '../../src/config/settings.js';
import { Invalid, type InvalidItem } from '../../src/errors/index.js';
import type { Type } from '../../src/http/input/input.pipe.js';
import { readInput } from '../../src/http/input/input.pipe.js';
import { settingsWith } from './settings.js';

/** Parses a body like a request does. */
export function readBody<T extends object>(type: Type<T>, body: unknown, settings = settingsWith()): T {
  return readInput(type, body, ['body'], settings);
}

/** Returns the validation errors of a body. The list is empty if the body is valid. */
export function itemsFor(type: Type, body: unknown, settings?: Settings): readonly InvalidItem[] {
  try {
    readBody(type, body, settings);
    return [];
  } catch (error) {
    if (error instanceof Invalid) return error.items;
    throw error;
  }
}
