import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ListedDocument } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { Icon } from '../design/icon.js';
import { stateOf } from '../documents/record.js';
import { StateBadge } from '../documents/state-badge.js';
import { t } from '../language/translate.js';

const LOOK_AGAIN_MS = 1_000;

interface Scope {
  /** The documents of the scope that the reader may read; null while they load. */
  readonly documents: ReadonlyMap<string, ListedDocument> | null;
  /** Whether a search would miss some of them, as far as is known. */
  readonly isProcessing: boolean;
  readonly hasFailed: boolean;
}

/** Follows the documents to which a search is restricted. @param ids of these documents; empty: no restriction */
export function useScope(ids: readonly string[]): Scope {
  const { client } = useSession();
  const wanted = ids.join(' ');
  const { value, error, reload } = useLoaded(
    async (signal) => {
      if (ids.length === 0) return { of: wanted, documents: [] };
      const scope = { document_filters: { external_id: { $in: [...ids] } }, limit: ids.length };
      const { documents } = await client.listing({ ...scope, fields: ['filename', 'status'], signal });
      return { of: wanted, documents };
    },
    [wanted],
  );
  const documents = value === null ? null : new Map(value.documents.map((one) => [one.external_id, one]));
  const isAny = (state: string): boolean =>
    ids.some((id) => {
      const document = documents?.get(id);
      return document !== undefined && stateOf(document) === state;
    });
  const isProcessing = isAny('processing');
  const isUnknown = ids.length > 0 && error === null && value?.of !== wanted;
  useEffect(() => {
    if (!isProcessing) return undefined;
    const timer = setInterval(reload, LOOK_AGAIN_MS);
    return () => {
      clearInterval(timer);
    };
  }, [isProcessing, reload]);
  return { documents, isProcessing: isProcessing || isUnknown, hasFailed: isAny('failed') };
}

interface ScopeDocumentsProps {
  readonly ids: readonly string[];
  readonly scope: Scope;
  readonly onChange: (ids: readonly string[]) => void;
}

/** The documents to which the search is restricted, each with a button that removes it. */
export function ScopeDocuments({ ids, scope, onChange }: ScopeDocumentsProps): JSX.Element | null {
  if (ids.length === 0) return null;
  return (
    <ul class="plain scope-documents" aria-label={t('scope.label')}>
      {ids.map((id) => {
        const document = scope.documents?.get(id);
        const name = document?.filename ?? (scope.documents === null ? t('action.loading') : id);
        const state = document === undefined ? 'completed' : stateOf(document);
        return (
          <li key={id}>
            <Icon name="document" />
            <a href={hrefOf('documents', id)} dir="auto">
              {name}
            </a>
            {state !== 'completed' && <StateBadge state={state} />}
            <button
              type="button"
              class="icon-button"
              aria-label={t('scope.remove', { name })}
              title={t('scope.remove', { name })}
              onClick={() => {
                onChange(ids.filter((one) => one !== id));
              }}
            >
              <Icon name="close" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
