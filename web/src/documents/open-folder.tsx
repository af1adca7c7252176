import type { JSX } from 'preact';
import type { LecternClient } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { EmptyState, isGone } from '../design/notices.js';
import { rich, t } from '../language/translate.js';

/** Whether the service says that a folder does not exist, or not for this reader. Without an answer it may exist. */
export function isFolderGone(client: LecternClient, folder: string, signal: AbortSignal): Promise<boolean> {
  return client.folders.get(folder, { signal }).then(() => false, isGone);
}

/** Whether the open folder was gone when it was opened or, after `lookAgain`, is gone now. @param folder null: none is open */
export function useGoneFolder(folder: string | null): {
  readonly isFolderMissing: boolean;
  readonly lookAgain: () => void;
} {
  const { client } = useSession();
  const { value, reload } = useLoaded(
    async (signal) => ({
      folder,
      isMissing: folder !== null && (await isFolderGone(client, folder, signal)),
    }),
    [folder],
  );
  return { isFolderMissing: value?.folder === folder && value.isMissing, lookAgain: reload };
}

/** Stands for the list of a folder that does not exist. */
export function MissingFolder(): JSX.Element {
  return (
    <EmptyState title={t('folder.missing')}>
      {rich('folder.missingHint', { a: (parts) => <a href={hrefOf('documents')}>{parts}</a> })}
    </EmptyState>
  );
}
