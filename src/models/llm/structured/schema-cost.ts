import { isSchemaObject, SchemaProblem, type Subschema, subschemasOf } from './json-schema.js';
import { patternSize } from './pattern-size.js';

/** Limits of a schema. The most expensive schema within them compiles in about a fifth of a second. */
export const SCHEMA_LIMITS = {
  subschemas: 1_000,
  /** Names of properties in all keywords, and values of enumerations. */
  names: 5_000,
  /** Members of one `patternProperties`, which are all compared with every name of an object. */
  patterns: 100,
  /** Sum of the sizes of all patterns, with repetitions expanded. */
  patternSize: 5_000,
  /** Subschemas that one value must be compared with, with references and alternatives expanded. */
  evaluations: 10_000,
} as const;

type Path = Subschema['path'];
type SchemaObject = Subschema['schema'];

/** Keywords whose subschemas apply to the same value as the schema itself. */
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'];
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];
const NAME_LISTS = ['enum', 'required'];
const NAME_MAPS = ['properties', 'patternProperties', 'dependentRequired', 'dependencies', 'dependentSchemas'];

/**
 * Counts the work that a schema causes, before it is compiled.
 *
 * @param all all subschemas, the schema itself first
 * @returns the first limit that the schema exceeds; null if it exceeds none
 */
export function costProblem(all: readonly Subschema[]): SchemaProblem | null {
  return tooMany(all) ?? expensivePattern(all) ?? expansionProblem(all);
}

function tooMany(all: readonly Subschema[]): SchemaProblem | null {
  if (all.length > SCHEMA_LIMITS.subschemas) {
    return new SchemaProblem([], `has ${all.length} subschemas; the maximum is ${SCHEMA_LIMITS.subschemas}`);
  }
  let names = 0;
  for (const { path, schema } of all) {
    for (const keyword of NAME_LISTS) names += lengthOf(schema[keyword]);
    for (const keyword of NAME_MAPS) {
      const map = schema[keyword];
      if (!isSchemaObject(map)) continue;
      const values = Object.values(map);
      names += values.reduce<number>((sum, value) => sum + lengthOf(value), values.length);
      if (keyword === 'patternProperties' && values.length > SCHEMA_LIMITS.patterns) {
        const message = `has ${values.length} patterns; the maximum is ${SCHEMA_LIMITS.patterns}`;
        return new SchemaProblem([...path, keyword], message);
      }
    }
  }
  if (names <= SCHEMA_LIMITS.names) return null;
  return new SchemaProblem([], `has ${names} names and values; the maximum is ${SCHEMA_LIMITS.names}`);
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

function expensivePattern(all: readonly Subschema[]): SchemaProblem | null {
  let size = 0;
  for (const { path, schema } of all) {
    for (const [place, pattern] of patternsOf(schema)) {
      size += patternSize(pattern);
      if (size > SCHEMA_LIMITS.patternSize) {
        const message = `with expanded repetitions, its patterns have more than ${SCHEMA_LIMITS.patternSize} parts`;
        return new SchemaProblem([...path, ...place], message);
      }
    }
  }
  return null;
}

function patternsOf({ pattern, patternProperties }: SchemaObject): [Path, string][] {
  const names = isSchemaObject(patternProperties) ? Object.keys(patternProperties) : [];
  return [
    ...(typeof pattern === 'string' ? [[['pattern'], pattern] as [Path, string]] : []),
    ...names.map((name): [Path, string] => [['patternProperties', name], name]),
  ];
}

/** Counts how often subschemas are evaluated for one value. References that lead back to their own value have no end. */
function expansionProblem(all: readonly Subschema[]): SchemaProblem | null {
  const [root] = all;
  if (root === undefined) return null;
  const targets = new ReferenceTargets(root.schema, all);
  const known = new Map<SchemaObject, number>();
  const open = new Set<SchemaObject>();
  const countOf = ({ path, schema }: Subschema): number => {
    const count = known.get(schema);
    if (count !== undefined) return count;
    if (open.has(schema)) throw new SchemaProblem(path, 'has circular references');
    open.add(schema);
    let sum = 1;
    for (const child of sameValueIn({ path, schema }, targets)) {
      sum += countOf(child);
      if (sum > SCHEMA_LIMITS.evaluations) {
        throw new SchemaProblem(path, `expands to more than ${SCHEMA_LIMITS.evaluations} subschemas for one value`);
      }
    }
    open.delete(schema);
    known.set(schema, sum);
    return sum;
  };
  try {
    for (const subschema of all) countOf(subschema);
    return null;
  } catch (error) {
    if (error instanceof SchemaProblem) return error;
    throw error;
  }
}

function sameValueIn(subschema: Subschema, targets: ReferenceTargets): Subschema[] {
  const { path, schema } = subschema;
  const children = subschemasOf(subschema).filter(({ path: inner }) =>
    SAME_VALUE.includes(String(inner[path.length])),
  );
  const referenced = REFERENCES.flatMap((keyword): Subschema[] => {
    const target = targets.of(schema[keyword]);
    return target === undefined ? [] : [{ path: [...path, keyword], schema: target }];
  });
  return [...children, ...referenced];
}

/** Finds the targets of references within a schema, by pointer, anchor or identifier. */
class ReferenceTargets {
  private readonly named = new Map<string, SchemaObject>();

  constructor(
    private readonly root: SchemaObject,
    all: readonly Subschema[],
  ) {
    for (const { schema } of all) {
      for (const keyword of ['$anchor', '$dynamicAnchor', '$id']) {
        const name = schema[keyword];
        if (typeof name === 'string') this.named.set(lastPartOf(name), schema);
      }
    }
  }

  of(reference: unknown): SchemaObject | undefined {
    if (typeof reference !== 'string') return undefined;
    const [document = '', fragment = ''] = reference.split('#', 2);
    const base = document === '' ? this.root : this.named.get(lastPartOf(document));
    if (fragment === '') return base;
    return fragment.startsWith('/') ? at(base, fragment) : this.named.get(lastPartOf(fragment));
  }
}

/** The last segment of an identifier, which is compared instead of the resolved identifier. */
function lastPartOf(uri: string): string {
  return uri.replace(/#.*$/, '').replace(/^.*[/:]/, '');
}

function at(base: SchemaObject | undefined, pointer: string): SchemaObject | undefined {
  let value: unknown = base;
  for (const part of pointer.slice(1).split('/')) {
    const name = decoded(part);
    if (Array.isArray(value)) value = (value as unknown[])[Number(name)];
    else value = isSchemaObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return isSchemaObject(value) ? value : undefined;
}

function decoded(part: string): string {
  const unescaped = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(unescaped);
  } catch (error) {
    if (error instanceof URIError) return unescaped;
    throw error;
  }
}
