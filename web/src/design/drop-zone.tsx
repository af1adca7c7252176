import { useRef, useState } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import { useDropTarget } from './drop-target.js';
import { droppedTree, pickedTree, placed, type PlacedFile } from './file-tree.js';
import { Icon, type IconName } from './icon.js';
import { t } from '../language/translate.js';
import { listText } from '../language/quantities.js';

/** Lets an input take a folder. The types of Preact do not have it. */
const OF_FOLDERS: object = { webkitdirectory: true };

interface DropZoneProps {
  readonly icon: IconName;
  /** Asks for files, such as "Drop files here". */
  readonly title: string;
  /** Label of the visually hidden file input. */
  readonly label: string;
  /** Accepted file types; unset: all. */
  readonly accept?: string;
  readonly onFiles: (files: readonly PlacedFile[]) => void;
  /** Label of the visually hidden input for a folder; unset: folders are refused. */
  readonly folderLabel?: string;
  /** Additional information about the files. */
  readonly children: ComponentChildren;
}

/** A field to drop files or folders on, with buttons to choose them. */
export function DropZone(props: DropZoneProps): JSX.Element {
  const { icon, title, label, accept, onFiles, folderLabel, children } = props;
  const input = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const take = (files: readonly PlacedFile[]): void => {
    setProblem(null);
    if (files.length > 0) onFiles(files);
  };
  const takeFolders = async (folders: readonly FileSystemDirectoryEntry[]): Promise<void> => {
    const names = listText(folders.map(({ name }) => t('quote', { text: name })));
    if (folderLabel === undefined) {
      setProblem(t('drop.noFolders', { names }));
      return;
    }
    try {
      const files = await droppedTree(folders);
      take(files);
      if (files.length === 0) setProblem(t('drop.emptyFolders', { names }));
    } catch (error) {
      setProblem(t('drop.unreadable', { names, reason: (error as Error).message }));
    }
  };
  const { over, handlers } = useDropTarget(
    (files) => take(placed(files)),
    (folders) => void takeFolders(folders),
  );
  return (
    <div class={over ? 'drop-zone over' : 'drop-zone'} {...handlers}>
      <Icon name={icon} />
      <p>
        <strong>{title}</strong> <span class="muted">{t('drop.or')}</span>{' '}
        <button type="button" class="link" onClick={() => input.current?.click()}>
          {t('drop.choose')}
        </button>
        {folderLabel !== undefined && (
          <>
            {' · '}
            <button type="button" class="link" onClick={() => folderInput.current?.click()}>
              {t('drop.chooseFolder')}
            </button>
          </>
        )}
      </p>
      <p class="muted small">{children}</p>
      {problem !== null && (
        <p class="small problem-text" role="alert">
          {problem}
        </p>
      )}
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple
        class="visually-hidden"
        tabIndex={-1}
        aria-label={label}
        onChange={(event) => {
          take(placed([...(event.currentTarget.files ?? [])]));
          event.currentTarget.value = '';
        }}
      />
      {folderLabel !== undefined && (
        <input
          ref={folderInput}
          type="file"
          {...OF_FOLDERS}
          class="visually-hidden"
          tabIndex={-1}
          aria-label={folderLabel}
          onChange={(event) => {
            take(pickedTree([...(event.currentTarget.files ?? [])]));
            event.currentTarget.value = '';
          }}
        />
      )}
    </div>
  );
}
