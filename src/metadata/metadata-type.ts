/** The type of a top-level metadata value, as `metadata_types` stores it. */
export const METADATA_TYPES = [
  'string',
  'number',
  'decimal',
  'boolean',
  'datetime',
  'date',
  'array',
  'object',
  'null',
] as const;
export type MetadataType = (typeof METADATA_TYPES)[number];

const NAMES = new Map<string, MetadataType>([
  ...METADATA_TYPES.map((type): [string, MetadataType] => [type, type]),
  ['str', 'string'],
  ['text', 'string'],
  ['int', 'number'],
  ['integer', 'number'],
  ['long', 'number'],
  ['double', 'number'],
  ['float', 'number'],
  ['numeric', 'number'],
  ['bool', 'boolean'],
  ['timestamp', 'datetime'],
  ['list', 'array'],
  ['dict', 'object'],
  ['map', 'object'],
]);

/** The type a name or alias stands for, in any case; undefined for an unknown name. */
export function metadataTypeNamed(name: string): MetadataType | undefined {
  return NAMES.get(name.toLowerCase());
}
