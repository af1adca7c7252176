import type { JSX } from 'preact';
import { useLoaded } from '../app/calls.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { EmptyState } from '../design/notices.js';
import { LoadDemo } from '../documents/load-demo.js';
import { t } from '../language/translate.js';

interface StartProps {
  readonly folder: string;
  /** Number of ready documents; null: not known yet. */
  readonly documents: number | null;
  readonly onAsk: (question: string) => void;
  /** Called when documents may have been added. */
  readonly onLoaded: () => void;
}

/** Shows suggested questions. If there are no documents, shows a link for adding documents instead. */
export function Start({ folder, documents, onAsk, onLoaded }: StartProps): JSX.Element | null {
  const { client, holder } = useSession();
  const scope = folder === '' ? {} : { folder_name: [folder], folder_depth: -1 };
  const suggested = useLoaded(
    (signal) =>
      documents === null || documents === 0 ? Promise.resolve([]) : client.suggestions({ ...scope, signal }),
    [folder, documents],
  );
  if (documents === 0 && folder !== '') {
    return <p class="muted">{t('ask.folderIsEmpty')}</p>;
  }
  if (documents === 0 && !holder.can('write')) {
    return <EmptyState title={t('ask.noDocuments')}>{t('ask.mayNotAdd')}</EmptyState>;
  }
  if (documents === 0) {
    return (
      <EmptyState title={t('ask.noDocuments')}>
        <p>{t('ask.addSome')}</p>
        <div class="row centred">
          <a class="button primary" href={hrefOf('documents')}>
            {t('ask.addDocuments')}
          </a>
          <LoadDemo onLoaded={onLoaded} />
        </div>
      </EmptyState>
    );
  }
  const questions = suggested.value ?? [];
  if (questions.length === 0) return null;
  return (
    <ul class="plain suggestions" aria-label={t('ask.suggested')}>
      {questions.map((question) => (
        <li key={question}>
          <button
            type="button"
            dir="auto"
            onClick={() => {
              onAsk(question);
            }}
          >
            {question}
          </button>
        </li>
      ))}
    </ul>
  );
}
