import { compileSchema, type CompiledSchema, type SchemaPath } from '../../structured/compile-schema.js';
import { isSchemaObject, subschemasOf, type JsonSchema } from '../../structured/json-schema.js';

export type Schema = Readonly<Record<string, unknown>>;

/** The parts of a schema: what shape they ask for, and whether a value is valid against one of them. */
export class SchemaParts {
  private readonly compiled: CompiledSchema;
  private readonly paths = new Map<Schema, SchemaPath>();

  /** @throws SchemaProblem */
  constructor(private readonly root: JsonSchema) {
    this.compiled = compileSchema(root);
    if (isSchemaObject(root)) this.register(root, []);
  }

  /** Whether a value is valid against a part. One that is not found in the schema is left to the check of the whole. */
  accepts(part: unknown, value: unknown): boolean {
    const path = isSchemaObject(part) ? this.paths.get(part) : undefined;
    return path === undefined || this.compiled.accepts(path, value);
  }

  /** The keywords of a part, those of its references and of its `allOf` included; of one keyword the last counts. */
  shapeOf(part: unknown, followed: readonly unknown[] = []): Schema {
    if (!isSchemaObject(part) || followed.includes(part)) return {};
    const { $ref, allOf, ...own } = part;
    const bases = [
      ...(typeof $ref === 'string' ? [this.resolve($ref)] : []),
      ...(Array.isArray(allOf) ? (allOf as unknown[]) : []),
    ];
    const all = [...bases.map((base) => this.shapeOf(base, [...followed, part])), own as Schema];
    const properties = all.flatMap((one) => (isSchemaObject(one['properties']) ? [one['properties']] : []));
    const required = all.flatMap((one) =>
      Array.isArray(one['required']) ? (one['required'] as unknown[]) : [],
    );
    return {
      ...merged(all),
      ...(properties.length > 0 ? { properties: merged(properties) } : {}),
      ...(required.length > 0 ? { required } : {}),
    };
  }

  private register(schema: Schema, path: SchemaPath): void {
    let level = [{ path, schema }];
    while (level.length > 0) {
      for (const each of level) this.paths.set(each.schema, each.path);
      level = level.flatMap(subschemasOf);
    }
  }

  /** What a reference inside the schema leads to: a JSON Pointer, an `$anchor` or an `$id`; undefined for nothing. */
  private resolve(reference: string): unknown {
    const [document = '', encoded = ''] = reference.split('#', 2);
    const base = document === '' ? this.root : this.named(({ $id }) => $id === document);
    const fragment = decodeURIComponent(encoded);
    if (fragment !== '' && !fragment.startsWith('/'))
      return this.named(({ $anchor, $id }) => $anchor === fragment || $id === `#${fragment}`);
    const steps = fragment
      .split('/')
      .slice(1)
      .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'));
    const target = steps.reduce<unknown>((at, step) => {
      if (Array.isArray(at)) return at[Number(step)] as unknown;
      return isSchemaObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
    }, base);
    const from = isSchemaObject(base) ? this.paths.get(base) : undefined;
    if (isSchemaObject(target) && from !== undefined && !this.paths.has(target))
      this.register(target, [...from, ...steps]);
    return target;
  }

  private named(hasName: (schema: Schema) => boolean): Schema | undefined {
    return [...this.paths.keys()].find(hasName);
  }
}

function merged(schemas: readonly Schema[]): Schema {
  return schemas.reduce((all, one) => ({ ...all, ...one }), {});
}

/** The types a shape names or implies, in its order; `string` when nothing is said. */
export function typesOf(shape: Schema): readonly string[] {
  const { type } = shape;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string');
  if ('properties' in shape || 'required' in shape) return ['object'];
  return 'items' in shape ? ['array'] : ['string'];
}
