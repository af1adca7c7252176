/**
 * Ends a `switch` over a union: `default: return missingCase(predicate);`. The compiler names a case that is missing,
 * because its type is not `never`.
 *
 * @throws Error that names the value, if it comes from outside the types, such as a row of a later version
 */
export function missingCase(value: never): never {
  const { kind = value } = Object(value) as { readonly kind?: unknown };
  throw new Error(`No case for ${String(kind)}`);
}
