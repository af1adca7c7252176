import type { JSX } from 'preact';
import type { Completion } from '../api/lectern.js';
import { Skeleton } from '../design/notices.js';

import { Silence } from './silence.js';
import { t } from '../language/translate.js';

interface StepsProps {
  /** Number of documents that are searched; null: not known. */
  readonly documents: number | null;
  /** Unset while the search runs. */
  readonly sources: Completion['sources'] | undefined;
}

/** Shows the steps of the service before the first words of an answer. */
export function Steps({ documents, sources }: StepsProps): JSX.Element {
  return (
    <div class="steps" role="status">
      <p>{sources === undefined ? searchingOf(documents) : readingOf(documents, sources)}</p>
      <Skeleton />
      <Silence last={sources}>{sources === undefined ? t('ask.noResultYet') : t('ask.noWordYet')}</Silence>
    </div>
  );
}

function searchingOf(documents: number | null): string {
  return documents === null ? t('ask.searchingAll') : t('ask.searching', { count: documents });
}

/** The reading step counts the pages if every source has a page, otherwise the passages. */
function readingOf(documents: number | null, sources: Completion['sources']): string {
  const searched = documents === null ? t('ask.searchedAll') : t('ask.searched', { count: documents });
  const pages = new Set(sources.map(({ document_id: id, page_number: page }) => `${id} ${page ?? ''}`));
  const havePages = sources.length > 0 && sources.every(({ page_number: page }) => page !== null);
  return havePages
    ? t('ask.readingPages', { searched, count: pages.size })
    : t('ask.readingPassages', { searched, count: sources.length });
}
