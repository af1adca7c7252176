import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { FolderCount } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { goTo, hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { counted } from './describe.js';
import { countsBelow } from './folders-in.js';
import { countOf } from './list-query.js';

interface FolderActionsProps {
  /** The open folder; null: the view shows all documents. */
  readonly folder: string | null;
  readonly folders: readonly FolderCount[];
  readonly onChange: () => void;
}

/** Creates a folder. Renames or deletes the open folder. */
export function FolderActions({ folder, folders, onChange }: FolderActionsProps): JSX.Element {
  const { client, holder } = useSession();
  const [path, setPath] = useState('');
  const count = folder === null ? 0 : (countsBelow(folders).get(folder) ?? 0);
  const person = holder.changesOnlyOf;
  const own = useLoaded(
    async (signal) => {
      if (folder === null || person === null) return null;
      return countOf(client, person, { folder_name: [folder], folder_depth: -1 }, signal);
    },
    [folder, person, count],
  );
  const mayChangeFolder = person === null || own.value === count;
  const open = (next: string | null): void => {
    onChange();
    goTo(hrefOf('documents', null, { folder: next }));
  };
  const field = (
    <label>
      Path of the folder
      <input
        required
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
        label="New folder…"
        title="New folder"
        verb="Create folder"
        buttonClass="small-button"
        isReady={wanted !== '/'}
        onOpen={() => {
          setPath(folder === null ? '/' : `${folder}/`);
        }}
        onDo={(signal) => client.folders.create({ name: wanted, full_path: wanted }, { signal })}
        onDone={() => {
          open(wanted);
        }}
      >
        {field}
      </ActionDialog>
      {folder !== null && own.value !== null && own.value < count && (
        <span class="small muted">
          The folder has shared documents: only administrators can rename or delete it.
        </span>
      )}
      {folder !== null && mayChangeFolder && (
        <>
          <ActionDialog
            label="Rename folder…"
            title={`Rename or move ${folder}`}
            verb="Rename"
            buttonClass="small-button"
            isReady={wanted !== '/' && wanted !== folder}
            onOpen={() => {
              setPath(folder);
            }}
            onDo={(signal) => client.folders.move(folder, wanted, { signal })}
            onDone={() => {
              open(wanted);
            }}
          >
            <p class="small muted">Its subfolders and documents move with it.</p>
            {field}
          </ActionDialog>
          <ActionDialog
            label="Delete folder…"
            title={`Delete ${folder}?`}
            verb="Delete"
            isDangerous
            toType={count === 0 ? null : nameOf(folder)}
            buttonClass="small-button"
            onDo={(signal) => client.folders.delete(folder, { recursive: true, signal })}
            onDone={() => {
              open(folder.slice(0, folder.lastIndexOf('/')) || null);
            }}
          >
            <p>
              {count === 0
                ? 'It contains no documents.'
                : `The ${counted(count, 'document')} in it and its subfolders are deleted too. This cannot be undone.`}
            </p>
          </ActionDialog>
        </>
      )}
    </div>
  );
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
