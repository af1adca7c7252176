import type { JSX } from 'preact';
import type { Completion } from '../api/lectern.js';
import { Skeleton } from '../design/notices.js';
import { counted } from '../documents/describe.js';
import { Silence } from './silence.js';

interface StepsProps {
  /** Number of documents that are searched; null: not known. */
  readonly documents: number | null;
  /** Unset while the search runs. */
  readonly sources: Completion['sources'] | undefined;
}

/** Shows the steps of the service before the first words of an answer. */
export function Steps({ documents, sources }: StepsProps): JSX.Element {
  const searched = documents === null ? 'the documents' : counted(documents, 'document');
  return (
    <div class="steps" role="status">
      <p>
        {sources === undefined
          ? `Searching ${searched}…`
          : `Searched ${searched}, reading ${readingOf(sources)}…`}
      </p>
      <Skeleton />
      <Silence last={sources}>
        {sources === undefined
          ? 'There is no result of the search yet. “Stop” ends the question.'
          : 'The language model has not begun to answer yet. “Stop” ends the question.'}
      </Silence>
    </div>
  );
}

/** Returns what the reading step counts: the pages if every source has a page, otherwise the passages. */
function readingOf(sources: Completion['sources']): string {
  const pages = new Set(sources.map(({ document_id: id, page_number: page }) => `${id} ${page ?? ''}`));
  const havePages = sources.length > 0 && sources.every(({ page_number: page }) => page !== null);
  return havePages ? counted(pages.size, 'page') : counted(sources.length, 'passage');
}
