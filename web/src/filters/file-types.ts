import type { Key } from '../language/words.js';
import { newCondition, newGroup, type Condition, type Group, type Item } from './filter-tree.js';

/** Kinds of files, by the extensions of their names: label and extensions. */
export const FILE_TYPES = {
  pdf: ['fileType.pdf', ['pdf']],
  words: ['fileType.words', ['doc', 'docx', 'odt', 'rtf', 'epub']],
  slides: ['fileType.slides', ['ppt', 'pptx', 'odp']],
  tables: ['fileType.tables', ['xls', 'xlsx', 'ods', 'csv', 'tsv']],
  texts: ['fileType.texts', ['txt', 'text', 'log', 'md', 'markdown']],
  web: ['fileType.web', ['html', 'htm', 'xhtml']],
  mails: ['fileType.mails', ['eml', 'msg']],
  images: ['fileType.images', ['png', 'jpg', 'jpeg', 'webp', 'gif', 'bmp', 'tif', 'tiff']],
} as const satisfies Record<string, readonly [label: Key, extensions: readonly string[]]>;

export type FileType = keyof typeof FILE_TYPES;
export const FILE_TYPE_NAMES = Object.keys(FILE_TYPES) as FileType[];

/** Returns the kind of files that a filter asks for; null if it does not ask for one. */
export function fileTypeOf({ mode, items }: Group): FileType | null {
  if (mode !== 'all') return null;
  return items.map(typeIn).find((type) => type !== null) ?? null;
}

/** Returns the filter with another kind of files; null: with any. */
export function withFileType(group: Group, type: FileType | null): Group {
  const isAnd = group.mode === 'all';
  const rest = isAnd ? group.items.filter((item) => typeIn(item) === null) : [group];
  if (type === null) return isAnd ? { ...group, items: rest } : group;
  return newGroup('all', [conditionOf(type), ...rest]);
}

function conditionOf(type: FileType): Condition {
  return newCondition({ field: 'filename', operator: '$regex', value: patternOf(type) });
}

function typeIn(item: Item): FileType | null {
  if (item.kind !== 'condition' || item.field !== 'filename' || item.operator !== '$regex') return null;
  return FILE_TYPE_NAMES.find((type) => item.value === patternOf(type)) ?? null;
}

function patternOf(type: FileType): string {
  return `(?i)\\.(${FILE_TYPES[type][1].join('|')})$`;
}
