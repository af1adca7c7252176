import { IngestionError, LecternError } from '../errors.js';
import type { AnswerState } from './answer.js';
import type { SourcePlace } from './source-store.js';

/** All texts of the components. */
export interface Words {
  readonly answer: string;
  readonly sources: string;
  readonly stop: string;
  readonly askAgain: string;
  readonly noSources: string;
  /** Name of a citation marker. */
  readonly source: (number: number, place: string) => string;
  readonly page: (number: number) => string;
  /** Text in place of the image of a page. */
  readonly pageOf: (place: string) => string;
  readonly loading: string;
  /** The announcement for screen readers in each state. */
  readonly states: Readonly<Record<AnswerState, string>>;
  readonly error: (error: unknown) => string;
}

/** Describes an error for a reader. */
export function inWords(error: unknown): string {
  if (error instanceof LecternError) return ofService(error);
  if (error instanceof IngestionError) return error.detail;
  // An application gets its token with the browser's fetch, which reports a lost connection as a TypeError.
  if (error instanceof TypeError) return LOST;
  return error instanceof Error ? error.message : String(error);
}

const LOST = 'The connection was lost. Check your network.';

function ofService({ status, detail, retryAfter }: LecternError): string {
  if (status === 0) return LOST;
  if (status === 401 || status === 403) return 'You are not signed in, or are not allowed to do this.';
  if (status === 429) {
    const wait = retryAfter === null ? 'later' : `in ${Math.ceil(retryAfter)} seconds`;
    return `Too many questions at the moment. Try again ${wait}.`;
  }
  if (status >= 500) return 'The service cannot answer at the moment.';
  return typeof detail === 'string'
    ? detail
    : detail.map(({ msg }) => msg.replace(/^Value error, /, '')).join('; ');
}

/** The default words; translate them with the prop `words`. */
export const ENGLISH: Words = {
  answer: 'Answer',
  sources: 'Sources',
  stop: 'Stop',
  askAgain: 'Ask again',
  noSources: 'Nothing was found: the answer has no sources.',
  source: (number, place) => `${number}, source ${place}`,
  page: (number) => `page ${number}`,
  pageOf: (place) => `Image of ${place}`,
  loading: 'Loading…',
  states: {
    idle: '',
    searching: 'Searching…',
    retrying: 'No connection. Trying again…',
    streaming: 'Answering…',
    done: '',
    stopped: 'You stopped this answer here.',
    failed: '',
  },
  error: inWords,
};

/** `report.pdf, page 2`. */
export function placeName(
  { filename, document_id: id, page_number: page }: SourcePlace,
  words: Pick<Words, 'page'> = ENGLISH,
): string {
  return [filename ?? id, ...(page === null ? [] : [words.page(page)])].join(', ');
}
