import { isJsonObject } from '../../json/json-object.js';
import { parseJson } from '../../json/exact-json.js';

/** Members of `metadata` that are read as the field of POST /query of that name; the others are the caller's own. */
const TEXTS = ['end_user_id', 'chat_id', 'output_format'] as const;
const VALUES = [
  ...['folder_depth', 'filters', 'k', 'min_score', 'use_reranking', 'use_colpali', 'padding'],
  'inline_citations',
] as const;

/**
 * Scope and filters of an OpenAI request: its `metadata`, whose values official clients hold to strings, so that
 * anything but text is JSON in a string (`"filters": "{\"year\": 2025}"`) as well as the value itself.
 */
export function fieldsOfMetadata(metadata: unknown): Readonly<Record<string, unknown>> {
  if (!isJsonObject(metadata)) return {};
  const fields: [string, unknown][] = [];
  for (const name of TEXTS) if (name in metadata) fields.push([name, metadata[name]]);
  for (const name of VALUES) if (name in metadata) fields.push([name, jsonIn(metadata[name])]);
  if ('folder_name' in metadata) fields.push(['folder_name', foldersIn(metadata['folder_name'])]);
  return Object.fromEntries(fields);
}

/** What is no JSON stays as it is, for the field to refuse. */
function jsonIn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return value;
    throw error;
  }
}

/** One path, or a JSON array of paths. */
function foldersIn(value: unknown): unknown {
  const parsed = jsonIn(value);
  return Array.isArray(parsed) ? parsed : value;
}
