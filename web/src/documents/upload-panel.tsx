import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { useKept } from '../app/kept.js';
import { useSession } from '../app/session.js';
import { DropZone } from '../design/drop-zone.js';
import { RequestCode } from '../requests/request-code.js';
import { uploadRequest } from './describe.js';
import { readMetadata } from './metadata-text.js';
import { mayChange } from './ownership.js';
import { TwinNotice } from './twin-notice.js';
import { twinsOf, type Twin } from './twins.js';
import type { UploadOptions } from './upload.js';
import { UploadList } from './upload-list.js';
import { useUploads } from './uploads.js';

interface UploadPanelProps {
  /** Default target folder. */
  readonly folder: string | null;
  readonly folders: readonly string[];
  /** Number of changes and deletions of documents in the view. The list of uploads is checked after each of them. */
  readonly changes: number;
  readonly onStep: () => void;
}

/** Files that were added while the metadata was invalid. They are sent when the metadata is valid. */
interface Held {
  readonly files: readonly File[];
  readonly folder: string;
  readonly pages: boolean;
}

/** Files whose names exist in the folder, with their upload options. */
interface Asked {
  readonly twins: readonly Twin[];
  readonly options: UploadOptions;
}

/** Adds files by drop or choice, and shows their status. */
export function UploadPanel({ folder, folders, changes, onStep }: UploadPanelProps): JSX.Element {
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
  useEffect(() => {
    setNamed(null);
  }, [folder]);
  const target = named ?? folder ?? '';
  const read = readMetadata(metadata);
  /** Sends new files at once; asks about files whose names exist in the folder. */
  const offer = async (files: readonly File[], options: UploadOptions): Promise<void> => {
    // If the look-up fails, every file counts as new.
    const twins = await twinsOf(client, files, options.folder, queue.uploads, ended, (one) =>
      mayChange(holder, one),
    ).catch(() => []);
    const known = new Set(twins.map(({ file }) => file));
    const fresh = files.filter((file) => !known.has(file)).map((file) => ({ file, replaces: null }));
    queue.add(fresh, options);
    if (twins.length > 0) setAsked((before) => [...before, { twins, options }]);
  };
  const send = (all: readonly Held[]): void => {
    if (all.length === 0) return;
    setHeld(read.problem === null ? [] : all);
    if (read.problem !== null) return;
    for (const { files, ...where } of all) void offer(files, { ...where, metadata: read.value });
    setMetadata(''); // the metadata applies to these files only
  };
  const answer = (how: 'replace' | 'add' | 'leave'): void => {
    for (const { twins, options } of how === 'leave' ? [] : asked) {
      const files = twins.map(({ file, documentId }) => ({
        file,
        replaces: how === 'replace' ? documentId : null,
        isTwin: true,
      }));
      queue.add(files, options);
    }
    setAsked([]);
  };
  const take = (files: readonly File[]): void => {
    send([...held, { files, folder: target.trim(), pages }]);
  };
  useEffect(() => {
    send(held); // the metadata may be valid now
  }, []);
  const fields = {
    ...(target.trim() === '' ? {} : { folder_name: target.trim() }),
    ...(read.value === null ? {} : { metadata: JSON.stringify(read.value) }),
    ...(pages ? { use_colpali: 'true' } : {}),
  };
  return (
    <section aria-label="Add documents">
      <DropZone icon="upload" what="files" label="Files to add" onFiles={take}>
        PDF, Office, HTML, Markdown, text, e-mail, images
      </DropZone>
      {holder.person !== null && (
        <p class="small muted upload-owners">
          Only you and administrators see what you add until you share it.
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
      <details class="upload-options">
        <summary>
          Options
          <span class="muted small">
            {target.trim() === '' ? ' no folder' : ` into ${target.trim()}`}
            {read.value === null ? '' : ', with properties'}
            {read.problem === null ? '' : ', with invalid properties'}
            {pages ? ', with page images' : ''}
          </span>
        </summary>
        <div class="option-grid">
          <label>
            Folder
            <input
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
            Properties (JSON)
            <input
              class="code-input"
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
              {read.problem !== null && `${read.problem} Files wait until it is valid.`}
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
            <span>Search page images too</span>
          </label>
        </div>
        <RequestCode title="Adding a file" requests={[uploadRequest('report.pdf', fields)]} />
      </details>
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
  const names = held.flatMap(({ files }) => files.map(({ name }) => name));
  return (
    <div class="notice bad row spread held" role="alert">
      <span>
        {names.length === 1 ? `“${names[0] ?? ''}” waits` : `${names.length} files wait`} until the properties
        in Options are a JSON object, or empty.
      </span>
      <button type="button" class="small-button" onClick={onDiscard}>
        Do not add
      </button>
    </div>
  );
}
