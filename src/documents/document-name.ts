import { Invalid, type Location } from '../errors/index.js';
import { isStorable, type Check } from '../http/input/check.js';
import { TextField } from '../http/input/fields.js';
import type { FieldOptions } from '../http/input/field.js';
import { checked } from '../http/input/parse.js';

/** What fits into the index over names. */
const MOST_BYTES = 1_024;

const isShortName: Check = {
  type: 'value_error',
  msg: `Value error, a name has at most ${MOST_BYTES} bytes in UTF-8`,
  holds: (value) => typeof value !== 'string' || Buffer.byteLength(value) <= MOST_BYTES,
};

/** The name of a document. */
export function NameField(options: FieldOptions): PropertyDecorator {
  return TextField({ ...options, minLength: 1, parse: checked(isShortName) });
}

/** The name that a file came with. @throws Invalid when it cannot be stored. */
export function requireName(name: string | null, loc: Location): void {
  const failed = [isStorable, isShortName].find((check) => !check.holds(name));
  if (failed !== undefined) throw Invalid.at(loc, failed.msg, failed.type);
}
