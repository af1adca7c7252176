type Values<T> = Readonly<Record<string, T>>;

/** Metadata with types by key; a key may have a type and no value yet. */
interface Typed<Value, Type> {
  readonly metadata: Values<Value>;
  readonly metadataTypes: Values<Type>;
}

/** The values of all but some keys. */
export function omit<T>(values: Values<T>, keys: readonly string[]): Record<string, T> {
  const omitted = new Set(keys);
  return Object.fromEntries(Object.entries(values).filter(([key]) => !omitted.has(key)));
}

/** Metadata and types of all but some keys. */
export function omitTyped<Value, Type>(
  { metadata, metadataTypes }: Typed<Value, Type>,
  keys: readonly string[],
): Typed<Value, Type> {
  return { metadata: omit(metadata, keys), metadataTypes: omit(metadataTypes, keys) };
}

/** Both together. Of a key that both have, value and type `above` count; its type below does not outlive its value. */
export function overlaid<Value, Type>(
  below: Typed<Value, Type>,
  above: Typed<Value, Type>,
): Typed<Value, Type> {
  const rest = omitTyped(below, Object.keys(above.metadata));
  return {
    metadata: { ...rest.metadata, ...above.metadata },
    metadataTypes: { ...rest.metadataTypes, ...above.metadataTypes },
  };
}
