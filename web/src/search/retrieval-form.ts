import { draftOf, NO_FILTER, type FilterDraft } from '../filters/filter-builder.js';
import type { FilterJson } from '../filters/filter-tree.js';

/** Retrieval options as typed; shared by search and questions. */
export interface RetrievalForm {
  readonly filter: FilterDraft;
  readonly folder: string;
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
  return score < 0 || score > 1 ? 'Must be from 0 to 1.' : null;
}

/** The reason why the options cannot be sent; null if they can be sent. */
export function hindranceOf(form: RetrievalForm): string | null {
  if (form.filter.problem !== null)
    return 'The filter in the options is not valid JSON: correct or clear it.';
  return scoreProblem(form) === null ? null : 'The minimum score in the options must be from 0 to 1.';
}

type Retrieval = Record<string, unknown>;

/** The members of a request. Omits options that are not set, so that the service's defaults apply. */
export function retrievalOf(form: RetrievalForm, question: string, image: QuestionImage | null): Retrieval {
  const { filter, folder, k, minScore, padding, pages, reranking } = form;
  const withPages = pages || image !== null;
  return {
    ...(image === null ? { query: question } : { query_image: image.uri }),
    ...(filter.json === null ? {} : { filters: filter.json }),
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
  return {
    filter: draftOf((filters ?? null) as FilterJson | null),
    folder: typeof path === 'string' ? path : '',
    k: numberText(k),
    minScore: numberText(score),
    padding: numberText(padding),
    pages: pages === true,
    reranking: reranking === true ? 'true' : reranking === false ? 'false' : '',
  };
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
