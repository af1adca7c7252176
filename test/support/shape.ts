/**
 * The least that an answer has to be: a type by its name (`string`, `number`, `boolean`, `object`, `null`), alternatives
 * with `|`, an object by its members (more may be there), a list by the one shape of its items.
 */
export type Shape = string | readonly [Shape] | { readonly [member: string]: Shape };

/** Where a value has not its shape, in words; empty when it has. */
export function mismatches(value: unknown, shape: Shape, at = 'the answer'): string[] {
  if (typeof shape === 'string') {
    const type = typeOf(value);
    return shape.split('|').includes(type) ? [] : [`${at} is ${type}, not ${shape}`];
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return [`${at} is ${typeOf(value)}, not a list`];
    return value.flatMap((item, index) => mismatches(item, shape[0], `${at}[${index}]`));
  }
  if (typeOf(value) !== 'object') return [`${at} is ${typeOf(value)}, not an object`];
  const members = value as Readonly<Record<string, unknown>>;
  return Object.entries(shape).flatMap(([name, inner]) =>
    Object.hasOwn(members, name)
      ? mismatches(members[name], inner, `${at}.${name}`)
      : [`${at} lacks ${name}`],
  );
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}
