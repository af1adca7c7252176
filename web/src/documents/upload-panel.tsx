import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { useKept } from '../app/kept.js';
import { useSession } from '../app/session.js';
import { DropZone } from '../design/drop-zone.js';
import type { PlacedFile } from '../design/file-tree.js';
import { RequestCode } from '../requests/request-code.js';
import { uploadRequest } from './describe.js';
import { readMetadata } from './metadata-text.js';
import { isFolderGone } from './open-folder.js';
import { mayChange } from './ownership.js';
import { TwinNotice } from './twin-notice.js';
import { twinsOf, type Twin } from './twins.js';
import type { UploadOptions } from './upload.js';
import { UploadList } from './upload-list.js';
import { useUploads } from './uploads.js';
import { listText } from '../language/quantities.js';
import { rich, t } from '../language/translate.js';

interface UploadPanelProps {
  /** Default target folder. */
  readonly folder: string | null;
  readonly folders: readonly string[];
  /** Whether the open folder does not exist: nothing can be added. */
  readonly isFolderMissing: boolean;
  /** Called when files are not added because their folder does not exist any more. */
  readonly onFolderMissing: () => void;
  /** Number of changes and deletions of documents in the view. The list of uploads is checked after each of them. */
  readonly changes: number;
  readonly onStep: () => void;
}

/** Files that were added while the metadata was invalid. They are sent when the metadata is valid. */
interface Held {
  /** With the paths of their target folders. */
  readonly files: readonly PlacedFile[];
  readonly pages: boolean;
  /** The folder that was open, if they go there or below it; null: they go elsewhere. */
  readonly openFolder: string | null;
}

/** Files whose names exist in the folder, with their upload options. */
interface Asked {
  readonly twins: readonly Twin[];
  readonly options: UploadOptions;
}

/** Adds files by drop or choice, and shows their status. */
export function UploadPanel(props: UploadPanelProps): JSX.Element {
  const { folder, folders, isFolderMissing, onFolderMissing, changes, onStep } = props;
  const { client, holder, ended } = useSession();
  const queue = useUploads(onStep);
  useEffect(() => {
    void queue.dropDeleted();
  }, [queue, changes]);
  const [asked, setAsked] = useState<readonly Asked[]>([]);
  const [named, setNamed] = useState<string | null>(null);
  const [metadata, setMetadata] = useKept('upload.metadata', '');
  const [held, setHeld] = useKept<readonly Held[]>('upload.held', []);
  const [pages, setPages] = useState(false);
  /** The folder into which files were not added, because it does not exist any more. */
  const [missing, setMissing] = useState<string | null>(null);
  useEffect(() => {
    setNamed(null);
    setMissing(null);
  }, [folder]);
  const target = named ?? folder ?? '';
  const read = readMetadata(metadata);
  /** Sends new files at once; asks about files whose names exist in the folder. */
  const offer = async (files: readonly PlacedFile[], options: UploadOptions): Promise<void> => {
    // If the look-up fails, every file counts as new.
    const twins = await twinsOf(client, files, queue.uploads, ended, (one) => mayChange(holder, one)).catch(
      () => [],
    );
    const known = new Set(twins.map(({ file }) => file));
    const fresh = files.filter(({ file }) => !known.has(file)).map((one) => ({ ...one, replaces: null }));
    queue.add(fresh, options);
    if (twins.length > 0) setAsked((before) => [...before, { twins, options }]);
  };
  /** Adds no files to a folder that was renamed or deleted meanwhile: they would make it again, private to the person. */
  const offerInto = async (
    { files, pages, openFolder }: Held,
    metadata: UploadOptions['metadata'],
  ): Promise<void> => {
    if (openFolder === null || !(await isFolderGone(client, openFolder, ended))) {
      await offer(files, { pages, metadata });
      return;
    }
    setMissing(openFolder);
    onFolderMissing();
  };
  const send = (all: readonly Held[]): void => {
    if (all.length === 0) return;
    setHeld(read.problem === null ? [] : all);
    if (read.problem !== null) return;
    for (const one of all) void offerInto(one, read.value);
    setMetadata(''); // the metadata applies to these files only
  };
  const answer = (how: 'replace' | 'add' | 'leave'): void => {
    for (const { twins, options } of how === 'leave' ? [] : asked) {
      const files = twins.map(({ file, folder: target, documentId }) => ({
        file,
        folder: target,
        replaces: how === 'replace' ? documentId : null,
        isTwin: true,
      }));
      queue.add(files, options);
    }
    setAsked([]);
  };
  /** Adds files below the target folder, with the folders in which they were. */
  const take = (files: readonly PlacedFile[]): void => {
    const top = target.trim().replace(/\/+$/, '');
    const targeted = files.map(({ file, folder: below }) => ({
      file,
      folder: below === '' ? target.trim() : `${top}/${below}`,
    }));
    setMissing(null);
    const isInOpen = folder !== null && `${top}/`.startsWith(`${folder}/`);
    send([...held, { files: targeted, pages, openFolder: isInOpen ? folder : null }]);
  };
  useEffect(() => {
    send(held); // the metadata may be valid now
  }, []);
  const chosen = [
    target.trim() === '' ? t('upload.noFolder') : t('upload.into', { folder: target.trim() }),
    ...(read.value === null ? [] : [t('upload.withProperties')]),
    ...(read.problem === null ? [] : [t('upload.withInvalid')]),
    ...(pages ? [t('upload.withPages')] : []),
  ];
  const fields = {
    ...(target.trim() === '' ? {} : { folder_name: target.trim() }),
    ...(read.value === null ? {} : { metadata: JSON.stringify(read.value) }),
    ...(pages ? { use_colpali: 'true' } : {}),
  };
  return (
    <section aria-label={t('upload.add')}>
      {!isFolderMissing && (
        <>
          <DropZone
            icon="upload"
            title={t('upload.drop')}
            label={t('upload.files')}
            folderLabel={t('upload.folder')}
            onFiles={take}
          >
            {t('upload.formats')}
          </DropZone>
          {holder.person !== null && <p class="small muted upload-owners">{t('upload.owners')}</p>}
        </>
      )}
      {missing !== null && (
        <p class="notice bad" role="alert">
          {rich('upload.folderMissing', { folder: <bdi>{missing}</bdi> })}
        </p>
      )}
      {held.length > 0 && (
        <HeldFiles
          held={held}
          onDiscard={() => {
            setHeld([]);
          }}
        />
      )}
      {asked.length > 0 && (
        <TwinNotice
          twins={asked.flatMap(({ twins }) => twins)}
          onReplace={() => {
            answer('replace');
          }}
          onAdd={() => {
            answer('add');
          }}
          onLeave={() => {
            answer('leave');
          }}
        />
      )}
      {!isFolderMissing && (
        <details class="upload-options">
          <summary>
            {t('upload.options')} <span class="muted small">{listText(chosen)}</span>
          </summary>
          <div class="option-grid">
            <label>
              {t('table.folder')}
              <input
                dir="ltr"
                list="folders"
                placeholder="/reports/2025"
                spellcheck={false}
                value={target}
                onInput={(event) => {
                  setNamed(event.currentTarget.value);
                }}
              />
            </label>
            <datalist id="folders">
              {folders.map((path) => (
                <option key={path} value={path} />
              ))}
            </datalist>
            <label>
              {t('properties.json')}
              <input
                class="code-input"
                dir="ltr"
                placeholder='{"kind": "report", "year": 2025}'
                spellcheck={false}
                value={metadata}
                aria-invalid={read.problem !== null}
                aria-describedby="metadata-problem"
                onInput={(event) => {
                  setMetadata(event.currentTarget.value);
                }}
                // Only on change, because text can become valid JSON by chance while typing.
                onChange={() => {
                  send(held);
                }}
              />
              <span id="metadata-problem" class="small problem-text" role="alert">
                {read.problem !== null && t('properties.filesWait', { problem: t(read.problem) })}
              </span>
            </label>
            <label class="check">
              <input
                type="checkbox"
                checked={pages}
                onChange={(event) => {
                  setPages(event.currentTarget.checked);
                }}
              />
              <span>{t('upload.pages')}</span>
            </label>
          </div>
          <RequestCode title={t('upload.request')} requests={[uploadRequest('report.pdf', fields)]} />
        </details>
      )}
      {queue.uploads.length > 0 && (
        <UploadList
          uploads={queue.uploads}
          pausedUntil={queue.pausedUntil}
          isOffline={queue.isOffline}
          onClear={() => {
            queue.clear();
          }}
        />
      )}
    </section>
  );
}

interface HeldFilesProps {
  readonly held: readonly Held[];
  readonly onDiscard: () => void;
}

function HeldFiles({ held, onDiscard }: HeldFilesProps): JSX.Element {
  const names = held.flatMap(({ files }) => files.map(({ file }) => file.name));
  return (
    <div class="notice bad row spread held" role="alert">
      <span>
        {names.length === 1
          ? t('upload.heldOne', { name: names[0] ?? '' })
          : t('upload.heldSome', { count: names.length })}
      </span>
      <button type="button" class="small-button" onClick={onDiscard}>
        {t('upload.discard')}
      </button>
    </div>
  );
}
