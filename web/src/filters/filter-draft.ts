import { compile, decompile, newGroup, type FilterJson, type Group } from './filter-tree.js';

/** A filter being edited. The JSON is authoritative; the tree shows it in the builder if possible. */
export interface FilterDraft {
  /** The filter as a tree; null if the builder cannot display the JSON. */
  readonly tree: Group | null;
  readonly text: string;
  readonly json: FilterJson | null;
  /** Why the text is not a valid filter. */
  readonly problem: FilterProblem | null;
}

/** `notJson`: what the parser says. */
type FilterProblem = 'notObject' | { readonly notJson: string };

export const NO_FILTER: FilterDraft = { tree: newGroup('all', []), text: '', json: null, problem: null };

export function draftOfTree(tree: Group): FilterDraft {
  const { json } = compile(tree);
  return { tree, text: json === null ? '' : JSON.stringify(json, null, 2), json, problem: null };
}

/** The draft for an existing filter. @param json the filter; null: no filter */
export function draftOf(json: FilterJson | null): FilterDraft {
  return json === null ? NO_FILTER : draftOfText(JSON.stringify(json, null, 2), NO_FILTER);
}

export function draftOfText(text: string, before: FilterDraft): FilterDraft {
  if (text.trim() === '') return { ...NO_FILTER, text };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { ...before, text, problem: { notJson: (error as Error).message } };
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { ...before, text, problem: 'notObject' };
  }
  const filter = json as FilterJson;
  return { tree: decompile(filter), text, json: filter, problem: null };
}
