import type { JSX } from 'preact';
import type { FolderCount } from '../api/lectern.js';
import { hrefOf } from '../app/router.js';
import { Icon } from '../design/icon.js';
import { countsBelow } from './folders-in.js';
import { t } from '../language/translate.js';
import { numberText } from '../language/quantities.js';

interface FolderTreeProps {
  readonly folders: readonly FolderCount[];
  readonly current: string | null;
  /** Whether there are more folders. */
  readonly isCut: boolean;
}

/** Folders by path, each with the number of documents in it and its subfolders. */
export function FolderTree({ folders, current, isCut }: FolderTreeProps): JSX.Element {
  const counts = countsBelow(folders);
  return (
    <nav aria-label={t('folder.list')} class="folders">
      <ul class="plain">
        <li>
          <a href={hrefOf('documents')} aria-current={current === null ? 'true' : undefined}>
            <Icon name="document" />
            <span class="name">{t('folder.all')}</span>
          </a>
        </li>
        {folders.map(({ id, name, full_path: path, depth }) => (
          <li key={id} class={`depth-${Math.min(depth - 1, 5)}`}>
            <a
              href={hrefOf('documents', null, { folder: path })}
              aria-current={current === path ? 'true' : undefined}
              title={path}
            >
              <Icon name="folder" />
              <bdi class="name">{name}</bdi>
              <span class="count muted small">{numberText(counts.get(path) ?? 0)}</span>
            </a>
          </li>
        ))}
      </ul>
      {isCut && <p class="small muted">{t('folder.cut')}</p>}
    </nav>
  );
}
