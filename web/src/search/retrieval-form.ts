import { draftOf, NO_FILTER, type FilterDraft } from '../filters/filter-draft.js';
import type { FilterJson } from '../filters/filter-tree.js';
import { t } from '../language/translate.js';

/** Retrieval options as typed; shared by search and questions. */
export interface RetrievalForm {
  readonly filter: FilterDraft;
  readonly folder: string;
  /** Ids of the only documents to search; empty: all. */
  readonly documents: readonly string[];
  readonly k: string;
  readonly minScore: string;
  readonly padding: string;
  readonly pages: boolean;
  /** Unset: the configured default. */
  readonly reranking: '' | 'true' | 'false';
}

export const EMPTY_FORM: RetrievalForm = {
  filter: NO_FILTER,
  folder: '',
  documents: [],
  k: '',
  minScore: '',
  padding: '',
  pages: false,
  reranking: '',
};

/** A query image as a data URI. */
export interface QuestionImage {
  readonly name: string;
  readonly uri: string;
}

/** Error message for a minimum score that is out of range. With such a score the service would return no results. */
export function scoreProblem({ minScore }: RetrievalForm): string | null {
  const score = Number(minScore);
  return score < 0 || score > 1 ? t('options.problemScore') : null;
}

/** The reason why the options cannot be sent; null if they can be sent. */
export function hindranceOf(form: RetrievalForm): string | null {
  if (form.filter.problem !== null) return t('options.hindersFilter');
  return scoreProblem(form) === null ? null : t('options.hindersScore');
}

type Retrieval = Record<string, unknown>;

/** The members of a request. Omits options that are not set, so that the service's defaults apply. */
export function retrievalOf(form: RetrievalForm, question: string, image: QuestionImage | null): Retrieval {
  const { filter, folder, k, minScore, padding, pages, reranking } = form;
  const filters = scoped(filter.json, form.documents);
  const withPages = pages || image !== null;
  return {
    ...(image === null ? { query: question } : { query_image: image.uri }),
    ...(filters === null ? {} : { filters }),
    ...(folder.trim() === '' ? {} : { folder_name: folder.trim(), folder_depth: -1 }),
    ...(k === '' ? {} : { k: Number(k) }),
    ...(minScore === '' ? {} : { min_score: Number(minScore) }),
    ...(withPages ? { use_colpali: true, output_format: 'url' } : {}),
    ...(withPages && padding !== '' ? { padding: Number(padding) } : {}),
    ...(reranking === '' ? {} : { use_reranking: reranking === 'true' }),
  };
}

/** The form with the members of a request; the inverse of {@link retrievalOf}. */
export function formOf(search: Retrieval): RetrievalForm {
  const { filters, folder_name: folder, k, min_score: score, padding, use_colpali: pages } = search;
  const reranking = search['use_reranking'];
  const [path = ''] = [folder].flat();
  const { json, documents } = unscoped((filters ?? null) as FilterJson | null);
  return {
    filter: draftOf(json),
    folder: typeof path === 'string' ? path : '',
    documents,
    k: numberText(k),
    minScore: numberText(score),
    padding: numberText(padding),
    pages: pages === true,
    reranking: reranking === true ? 'true' : reranking === false ? 'false' : '',
  };
}

/** The filter that only these documents pass, if there are any. */
function scoped(json: FilterJson | null, documents: readonly string[]): FilterJson | null {
  if (documents.length === 0) return json;
  const scope = { external_id: { $in: documents } };
  return json === null ? scope : { $and: [scope, json] };
}

/** The inverse of {@link scoped}. */
function unscoped(filters: FilterJson | null): {
  readonly json: FilterJson | null;
  readonly documents: readonly string[];
} {
  const whole = idsIn(filters);
  if (whole !== null) return { json: null, documents: whole };
  const parts = filters?.['$and'];
  const [scope, json, ...others] = Array.isArray(parts) ? (parts as readonly FilterJson[]) : [];
  const documents = others.length === 0 && scope !== undefined ? idsIn(scope) : null;
  return documents === null || json === undefined ? { json: filters, documents: [] } : { json, documents };
}

/** The ids in `{"external_id": {"$in": [...]}}`; null for other filters. */
function idsIn(filters: FilterJson | null): readonly string[] | null {
  const [[name, value] = [], ...others] = Object.entries(filters ?? {});
  const isOnly = name === 'external_id' && others.length === 0;
  if (!isOnly || typeof value !== 'object' || value === null || !('$in' in value)) return null;
  const { $in: ids } = value;
  return Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? ids : null;
}

function numberText(value: unknown): string {
  return typeof value === 'number' ? String(value) : '';
}

/** Number of options that differ from the defaults, without the folder. */
export function setCount({ filter, k, minScore, pages, reranking }: RetrievalForm): number {
  return [filter.text.trim() !== '', k !== '', minScore !== '', pages, reranking !== ''].filter(Boolean)
    .length;
}

/** Reads an image file. @throws DOMException if the file is not readable */
export function imageOf(file: File): Promise<QuestionImage> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      if (typeof reader.result === 'string') resolve({ name: file.name, uri: reader.result });
    };
    reader.onerror = () => {
      reject(reader.error ?? new Error('The image could not be read'));
    };
    reader.readAsDataURL(file);
  });
}
