import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { DocumentRecord, Folder, LecternClient, ListedDocument } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { isOfKeys } from '../design/notices.js';
import { PageError } from '../design/page-error.js';
import { inBatches, type Tell } from './batches.js';
import { t } from '../language/translate.js';
import { subjectOfFolder } from '../who/lists.js';
import { useWhoInWords } from '../who/who-can-see.js';

/** Lists of documents do not tell the rights: they offer moves of the person's own. */
type Moved = Pick<ListedDocument, 'external_id' | 'folder_path'> &
  Partial<Pick<DocumentRecord, 'your_access' | 'access_source'>>;

interface MoveDialogProps {
  readonly documents: readonly Moved[];
  /** Paths of the existing folders. */
  readonly folders: readonly string[];
  readonly buttonClass?: string;
  readonly onDone: () => void;
}

/** Moves documents into a folder, or out of every folder. */
export function MoveDialog({ documents, folders, buttonClass, onDone }: MoveDialogProps): JSX.Element {
  const { client } = useSession();
  const [folder, setFolder] = useState('');
  const path = folder.trim();
  const isNew = !folders.includes(path);
  return (
    <ActionDialog
      label={t('action.moveDots')}
      title={documents.length === 1 ? t('move.one') : t('move.some', { count: documents.length })}
      verb={t('action.move')}
      {...(buttonClass === undefined ? {} : { buttonClass })}
      onOpen={() => {
        setFolder(documents[0]?.folder_path ?? '');
      }}
      onDo={(signal, tell) => move(client, documents, { path, isNew }, signal, tell)}
      onDone={onDone}
      onStopped={onDone}
    >
      <label>
        {t('table.folder')}
        <input
          dir="ltr"
          list="move-folders"
          autocomplete="off"
          spellcheck={false}
          placeholder="/reports/2026"
          value={folder}
          onInput={(event) => {
            setFolder(event.currentTarget.value);
          }}
        />
      </label>
      <datalist id="move-folders">
        {folders.map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      <p class="small muted">{t('move.hint')}</p>
      {documents.some(isBound) && <p class="notice hint small">{t('move.sameReaders')}</p>}
      {!isNew && <SeenBy key={path} folder={path} />}
    </ActionDialog>
  );
}

/**
 * Whether a person may write a document, but not change who sees it, as a move would: its readers are those of its
 * folder.
 */
function isBound({ your_access: right, access_source: source }: Moved): boolean {
  return right === 'write' && source !== 'own';
}

/** Who can see a folder, and so what is moved there. */
function SeenBy({ folder }: { readonly folder: string }): JSX.Element {
  const { client } = useSession();
  const { value } = useLoaded((signal) => client.folders.get(folder, { signal }), [folder]);
  return <p role="status">{value !== null && <SeenByInWords folder={value} />}</p>;
}

function SeenByInWords({ folder }: { readonly folder: Folder }): JSX.Element {
  const people = useWhoInWords(subjectOfFolder(folder));
  return <>{t('move.seen', { people })}</>;
}

/** Maximum number of concurrent requests, each of which moves one document. */
const MOVED_AT_ONCE = 4;

async function move(
  client: LecternClient,
  documents: readonly Moved[],
  { path, isNew }: { readonly path: string; readonly isNew: boolean },
  signal: AbortSignal,
  tell: Tell,
): Promise<void> {
  if (path !== '') await client.folders.create({ name: path }, { signal });
  let moved = 0;
  const moveOne = async ({ external_id: id, folder_path: before }: Moved): Promise<void> => {
    if (path !== '') await client.folders.addDocument(path, id, { signal });
    else if (typeof before === 'string') await client.folders.removeDocument(before, id, { signal });
    moved += 1;
  };
  try {
    await inBatches(documents, MOVED_AT_ONCE, { progress: 'batch.moving', tell, signal }, (batch) =>
      Promise.all(batch.map(moveOne)),
    );
  } catch (error) {
    // A refused move leaves no empty folder behind.
    if (isNew && path !== '' && moved === 0) await client.folders.delete(path).catch(() => undefined);
    throw isOfKeys(error) && documents.some(isBound) ? new PageError('move.refused') : error;
  }
}
