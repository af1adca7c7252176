import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListedDocument } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { ErrorNotice } from '../design/notices.js';
import { changeLists } from '../documents/change-lists.js';
import { isPrivate } from '../documents/ownership.js';
import { t } from '../language/translate.js';

const LISTED_AT_ONCE = 500;

interface PrivateInsideProps {
  readonly folder: string;
  /** The person whose documents these are. */
  readonly person: string;
  readonly onShared: () => void;
}

/** Offers to share those documents of a person in a shared folder that are private. Renders nothing without any. */
export function PrivateInside({ folder, person, onShared }: PrivateInsideProps): JSX.Element | null {
  const { client } = useSession();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const found = useLoaded(
    async (signal) => {
      const documents: ListedDocument[] = [];
      const listed = client.list({
        folder_name: [folder],
        folder_depth: -1,
        end_user_id: person,
        fields: ['filename', 'access_control', 'end_user_id'],
        pageSize: LISTED_AT_ONCE,
        signal,
      });
      for await (const document of listed) if (isPrivate(document)) documents.push(document);
      return documents;
    },
    [folder, person],
  );
  const documents = found.value ?? [];
  const { length: count } = documents;
  if (count === 0) return <ErrorNotice error={found.error} onRetry={found.reload} />;
  const done = (): void => {
    found.reload();
    onShared();
  };
  return (
    <div class="row who-private">
      <span class="small muted">{t('who.privateInside', { count })}</span>
      <ActionDialog
        label={t('who.shareInsideDots')}
        title={t('who.shareInside')}
        verb={t('action.share')}
        buttonClass="small-button"
        isReady={chosen.size > 0}
        onOpen={() => {
          setChosen(new Set());
        }}
        onDo={(signal, tell) =>
          changeLists(
            client,
            [...chosen].map((id) => ({ id, lists: null })),
            signal,
            tell,
          )
        }
        onDone={done}
        onStopped={done}
      >
        <p>{t('who.shareInsideHint')}</p>
        <fieldset class="people-groups who-choice">
          <legend class="visually-hidden">{t('view.documents')}</legend>
          <label class="check">
            <input
              type="checkbox"
              checked={chosen.size === count}
              onChange={(event) => {
                const { checked } = event.currentTarget;
                setChosen(new Set(checked ? documents.map(({ external_id: id }) => id) : []));
              }}
            />
            {t('who.all', { count })}
          </label>
          {documents.map(({ external_id: id, filename }) => (
            <label key={id} class="check">
              <input
                type="checkbox"
                checked={chosen.has(id)}
                onChange={() => {
                  const next = new Set(chosen);
                  if (!next.delete(id)) next.add(id);
                  setChosen(next);
                }}
              />
              <bdi>{filename ?? id}</bdi>
            </label>
          ))}
        </fieldset>
      </ActionDialog>
    </div>
  );
}
