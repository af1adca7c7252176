import type { JSX } from 'preact';
import type { FolderWithRights, LecternClient } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { EmptyState, isGone } from '../design/notices.js';
import { rich, t } from '../language/translate.js';

/** Whether the service says that a folder does not exist, or not for this reader. Without an answer it may exist. */
export function isFolderGone(client: LecternClient, folder: string, signal: AbortSignal): Promise<boolean> {
  return client.folders.get(folder, { signal }).then(() => false, isGone);
}

interface OpenFolder {
  /** null: none is open, or it is not loaded. */
  readonly open: FolderWithRights | null;
  /** Whether the folder was gone when it was loaded last. */
  readonly isMissing: boolean;
  readonly reload: () => void;
}

/**
 * Loads the open folder, again when the number of its documents has changed: its reader may then have other rights to it.
 *
 * @param folder null: none is open
 */
export function useOpenFolder(folder: string | null, count: number): OpenFolder {
  const { client } = useSession();
  const { value, reload } = useLoaded(
    async (signal) => ({
      folder,
      open: folder === null ? null : await client.folders.get(folder, { signal }).catch(nullIfGone),
    }),
    [folder, count],
  );
  const isLoaded = folder !== null && value?.folder === folder;
  return { open: isLoaded ? value.open : null, isMissing: isLoaded && value.open === null, reload };
}

function nullIfGone(error: unknown): null {
  if (!isGone(error)) throw error;
  return null;
}

/** Stands for the list of a folder that does not exist. */
export function MissingFolder(): JSX.Element {
  return (
    <EmptyState title={t('folder.missing')}>
      {rich('folder.missingHint', { a: (parts) => <a href={hrefOf('documents')}>{parts}</a> })}
    </EmptyState>
  );
}
