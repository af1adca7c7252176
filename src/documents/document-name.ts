import { Invalid, type Location } from '../errors/index.js';
import { TextField, type FieldOptions } from '../http/input/fields.js';
import { text } from '../http/input/parse.js';

/** What fits into the index over names. */
const MAX_BYTES = 1_024;

/** The name of a document. */
export function NameField(options: FieldOptions): PropertyDecorator {
  return TextField({ ...options, notEmpty: true, parse: requireName });
}

/** The name that a file came with. @throws Invalid when it cannot be stored. */
export function requireName(name: unknown, loc: Location): string {
  if (Buffer.byteLength(String(text(name, loc))) <= MAX_BYTES) return String(name);
  throw Invalid.at(loc, `Value error, a name has at most ${MAX_BYTES} bytes in UTF-8`);
}
