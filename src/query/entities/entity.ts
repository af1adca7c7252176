import { normalise } from '../../lexical/normalise.js';

/** An entity of a question with the names it goes by; an item of `metadata.entities`. */
export interface Entity {
  readonly label: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly canonical: string;
  readonly variants: readonly string[];
}

/** An entity before its names are brought together. */
export type ExtractedEntity = Pick<Entity, 'label' | 'type' | 'properties'>;

/** Names that mean the same. */
export interface EntityGroup {
  readonly canonical: string;
  readonly variants: readonly string[];
}

/** Names that differ in case or diacritics only have the same key. */
function nameKey(name: string): string {
  return normalise(name);
}

/** Entities with the group that each belongs to; one that is in no group goes by its own label alone. */
export function resolved(entities: readonly ExtractedEntity[], groups: readonly EntityGroup[]): Entity[] {
  const byName = new Map<string, EntityGroup>();
  for (const group of groups) {
    for (const name of [group.canonical, ...group.variants]) {
      if (!byName.has(nameKey(name))) byName.set(nameKey(name), group);
    }
  }
  return entities.map((entity) => {
    const group = byName.get(nameKey(entity.label));
    const { canonical, variants } = group ?? { canonical: entity.label, variants: [] };
    return { ...entity, canonical, variants: [...new Set(variants)].filter((name) => name !== canonical) };
  });
}

/** The names of entities that a question does not spell out itself. */
export function otherNames(question: string, entities: readonly Entity[]): string[] {
  const names = entities.flatMap(({ canonical, variants }) => [canonical, ...variants]);
  return [...new Set(names)].filter((name) => !question.includes(name));
}

/** An entity as `entity_extraction.examples` gives it. */
export interface EntityExample {
  readonly label: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>> | null;
}

/** Names of one entity as `entity_resolution.examples` gives them. */
export interface ResolutionExample {
  readonly canonical: string;
  readonly variants: readonly string[];
}
