import { LecternError } from '@lectern/client';
import type { AnswerState } from './use-answer.js';

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
  /** The announcement for screen readers in each state. */
  readonly states: Readonly<Record<AnswerState, string>>;
  readonly error: (error: unknown) => string;
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

/** Describes an error for a reader. */
export function inWords(error: unknown): string {
  if (error instanceof LecternError) return ofService(error);
  // An application gets its token with the browser's fetch, which reports a lost connection as a TypeError.
  if (error instanceof TypeError) return LOST;
  return error instanceof Error ? error.message : String(error);
}

const LOST = 'The connection was lost. Check your network.';

function ofService({ status, detail, retryAfter }: LecternError): string {
  if (status === 0) return LOST;
  if (status === 401 || status === 403) return 'You are not signed in, or are not allowed to ask here.';
  if (status === 429) {
    const wait = retryAfter === null ? 'later' : `in ${Math.ceil(retryAfter)} seconds`;
    return `Too many questions at the moment. Try again ${wait}.`;
  }
  if (status >= 500) return 'The service cannot answer at the moment.';
  return typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join('; ');
}
