import { NO_FILTER, type FilterDraft } from '../filters/filter-builder.js';

/** What narrows and shapes a retrieval, as it is typed; shared by searching and asking. */
export interface RetrievalForm {
  readonly filter: FilterDraft;
  readonly folder: string;
  readonly k: string;
  readonly minScore: string;
  readonly padding: string;
  readonly pages: boolean;
  /** Unset: as the service is configured. */
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

/** An image as a question, as a data URI. */
export interface QuestionImage {
  readonly name: string;
  readonly uri: string;
}

/** What is wrong with the least score; the service would find nothing and not say why. */
export function scoreProblem({ minScore }: RetrievalForm): string | null {
  const score = Number(minScore);
  return score < 0 || score > 1 ? 'Scores are from 0 to 1.' : null;
}

/** Why nothing is sent until the options are mended; null where they can be sent. */
export function hindranceOf(form: RetrievalForm): string | null {
  if (form.filter.problem !== null)
    return 'The filter in the options cannot be read: mend its JSON, or empty it.';
  return scoreProblem(form) === null ? null : 'The least score in the options is not from 0 to 1.';
}

type Retrieval = Record<string, unknown>;

/** The members of a request; what is not set is left out, so that the service's own defaults hold. */
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

/** Reads a file of an image. @throws DOMException when the file cannot be read */
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
