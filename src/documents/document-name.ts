import { Invalid, type Location, violation } from '../errors/index.js';
import type { Parse } from '../http/input/input.pipe.js';
import { TextField, type FieldOptions } from '../http/input/fields.js';
import { text } from '../http/input/parse.js';

/** Maximum size of a name, which the index on names limits. */
const MAX_BYTES = 1_024;

/**
 * Removes bidirectional controls, which can make `exe.txt` look like `txt.exe` (Unicode Technical Report 36, section
 * 2.5).
 */
export function withoutBidiControls(name: string): string {
  return name.replaceAll(/\p{Bidi_Control}/gu, '');
}

export function NameField(options: FieldOptions): PropertyDecorator {
  const parse: Parse = (value, loc) => {
    const name = withoutBidiControls(requireName(value, loc));
    if (name === '') throw violation(loc, 'isNotEmpty');
    return name;
  };
  return TextField({ ...options, notEmpty: true, parse });
}

/** Validates an uploaded file's name. @throws Invalid if PostgreSQL cannot store the name. */
export function requireName(name: unknown, loc: Location): string {
  const given = text(name, loc);
  if (Buffer.byteLength(given) <= MAX_BYTES) return given;
  throw Invalid.at(loc, `Value error, a name has at most ${MAX_BYTES} bytes in UTF-8`);
}
