import type { JSX } from 'preact';
import { EmptyState, ErrorNotice, isGone } from '../design/notices.js';
import { t } from '../language/translate.js';

interface RecordErrorProps {
  readonly error: unknown;
  readonly onRetry: () => void;
  /** Said of a document that is gone. */
  readonly more?: string;
}

/** Why the record of a document cannot be shown. */
export function RecordError({ error, onRetry, more = '' }: RecordErrorProps): JSX.Element | null {
  if (!isGone(error)) return <ErrorNotice error={error} onRetry={onRetry} />;
  return (
    <EmptyState title={t('document.gone')}>
      {t('document.goneWhy')} {more}
    </EmptyState>
  );
}
