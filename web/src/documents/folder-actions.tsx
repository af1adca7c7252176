import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { FolderWithRights } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { goTo, hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { ErrorNotice } from '../design/notices.js';
import { countOf } from './list-query.js';
import { t } from '../language/translate.js';

/** Access lists of a folder that only its maker sees. */
const NOBODY = { readers: [], writers: [], admins: [] };

interface FolderActionsProps {
  /** The open folder; null: the view shows all documents. */
  readonly folder: string | null;
  /** The same as the service has it; null: not loaded. */
  readonly open: FolderWithRights | null;
  /** Number of documents in the open folder and below it. */
  readonly count: number;
  readonly onChange: () => void;
}

/** Creates a folder. Renames or deletes the open folder. */
export function FolderActions({ folder, open, count, onChange }: FolderActionsProps): JSX.Element {
  const { client, holder } = useSession();
  const [path, setPath] = useState('');
  const [isPrivate, setPrivate] = useState(false);
  const { person } = holder;
  const own = useCall((signal) =>
    folder === null || person === null
      ? Promise.resolve(count)
      : countOf(client, person, { folder_name: [folder], folder_depth: -1 }, signal),
  );
  const ofOthers = count - (own.value ?? count);
  const goToFolder = (next: string | null): void => {
    onChange();
    goTo(hrefOf('documents', null, { folder: next }));
  };
  const field = (
    <label>
      {t('folder.path')}
      <input
        required
        dir="ltr"
        autocomplete="off"
        spellcheck={false}
        placeholder="/reports/2026"
        value={path}
        onInput={(event) => {
          setPath(event.currentTarget.value);
        }}
      />
    </label>
  );
  const wanted = `/${path.trim().replace(/^\/+|\/+$/g, '')}`;
  return (
    <div class="row folder-actions">
      <ActionDialog
        label={t('folder.newDots')}
        title={t('folder.new')}
        verb={t('folder.create')}
        buttonClass="small-button"
        isReady={wanted !== '/'}
        onOpen={() => {
          setPath(folder === null ? '/' : `${folder}/`);
          setPrivate(false);
        }}
        onDo={(signal) =>
          client.folders.create(
            { name: wanted, full_path: wanted, ...(isPrivate ? { access_control: NOBODY } : {}) },
            { signal },
          )
        }
        onDone={() => {
          goToFolder(wanted);
        }}
      >
        {field}
        {holder.person !== null && (
          <label class="check">
            <input
              type="checkbox"
              checked={isPrivate}
              onChange={(event) => {
                setPrivate(event.currentTarget.checked);
              }}
            />
            {t('folder.private')}
          </label>
        )}
      </ActionDialog>
      {open?.may_delete === false && holder.can('write') && (
        <span class="small muted">{t('folder.ofOthers')}</span>
      )}
      {folder !== null && open?.may_rename === true && (
        <ActionDialog
          label={t('folder.renameDots')}
          title={t('folder.rename', { folder })}
          verb={t('action.rename')}
          buttonClass="small-button"
          isReady={wanted !== '/' && wanted !== folder}
          onOpen={() => {
            setPath(folder);
          }}
          onDo={(signal) => client.folders.move(folder, wanted, { signal })}
          onDone={() => {
            goToFolder(wanted);
          }}
        >
          <p class="small muted">{t('folder.renameHint')}</p>
          {field}
        </ActionDialog>
      )}
      {folder !== null && open?.may_delete === true && (
        <ActionDialog
          label={t('folder.deleteDots')}
          title={t('documents.deleteNamed', { name: folder })}
          verb={t('action.delete')}
          isDangerous
          toType={count === 0 ? null : nameOf(folder)}
          buttonClass="small-button"
          isReady={own.value !== null}
          onOpen={() => void own.run()}
          onDo={(signal) => client.folders.delete(folder, { recursive: true, signal })}
          onDone={() => {
            goToFolder(folder.slice(0, folder.lastIndexOf('/')) || null);
          }}
        >
          <p>{count === 0 ? t('folder.deleteEmpty') : t('folder.deleteSure', { count })}</p>
          {ofOthers > 0 && <p class="notice bad">{t('folder.deleteOthers', { count: ofOthers })}</p>}
          <ErrorNotice error={own.error} />
        </ActionDialog>
      )}
    </div>
  );
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
