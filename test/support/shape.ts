/**
 * The minimal shape of a value: the name of a type (`string`, `number`, `boolean`, `object`, `null`), several names
 * separated by `|`, an object with the shapes of its required members, or a list with the shape of its items.
 */
export type Shape = string | readonly [Shape] | { readonly [member: string]: Shape };

/** Lists the places where a value deviates from its shape. The list is empty if the value has the shape. */
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
