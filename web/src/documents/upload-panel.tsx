import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { hrefOf } from '../app/router.js';
import { DropZone } from '../design/drop-zone.js';
import { RequestCode } from '../requests/request-code.js';
import { uploadRequest } from './describe.js';
import type { Upload } from './upload-queue.js';
import { useUploads } from './uploads.js';

interface UploadPanelProps {
  /** Where files go unless another folder is named. */
  readonly folder: string | null;
  readonly folders: readonly string[];
  readonly onSettled: () => void;
}

/** Files are dropped here, or chosen; below it stands what becomes of them. */
export function UploadPanel({ folder, folders, onSettled }: UploadPanelProps): JSX.Element {
  const [uploads, queue] = useUploads(onSettled);
  const [named, setNamed] = useState<string | null>(null);
  const [metadata, setMetadata] = useState('');
  const [pages, setPages] = useState(false);
  const target = named ?? folder ?? '';
  const read = metadataOf(metadata);
  const take = (files: readonly File[]): void => {
    if (read.problem === null) queue.add(files, { folder: target.trim(), metadata: read.value, pages });
  };
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
      <details class="upload-options">
        <summary>
          Options
          <span class="muted small">
            {target.trim() === '' ? ' no folder' : ` into ${target.trim()}`}
            {read.value === null ? '' : ', with metadata'}
            {pages ? ', with pages as images' : ''}
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
            Metadata (JSON)
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
            />
            <span id="metadata-problem" class="small problem-text" role="alert">
              {read.problem}
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
            <span>
              Pages as images too <code>use_colpali</code>
            </span>
          </label>
        </div>
        <RequestCode title="Adding a file" requests={[uploadRequest('report.pdf', fields)]} />
      </details>
      {uploads.length > 0 && (
        <div class="uploads">
          <div class="row spread">
            <h2>Added now</h2>
            <button
              type="button"
              class="small-button"
              onClick={() => {
                queue.clear();
              }}
            >
              Clear finished
            </button>
          </div>
          <ul class="plain">
            {uploads.map((upload) => (
              <UploadRow key={upload.key} upload={upload} />
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function UploadRow({ upload }: { readonly upload: Upload }): JSX.Element {
  const { name, state, step, percentage, documentId, problem } = upload;
  return (
    <li class={`upload ${state}`}>
      <div class="row spread">
        {documentId === null || state !== 'completed' ? (
          <span class="name">{name}</span>
        ) : (
          <a class="name" href={hrefOf('documents', documentId)}>
            {name}
          </a>
        )}
        <span class="small muted" role="status">
          {step}
          {state === 'sending' || state === 'processing' ? ` ${percentage}%` : ''}
        </span>
      </div>
      {(state === 'sending' || state === 'processing') && (
        <progress max={100} value={percentage} aria-label={`${step}: ${name}`} />
      )}
      {problem !== null && (
        <p class="small problem-text" role="alert">
          {problem}
        </p>
      )}
    </li>
  );
}

interface ReadMetadata {
  readonly value: Readonly<Record<string, unknown>> | null;
  readonly problem: string | null;
}

function metadataOf(text: string): ReadMetadata {
  if (text.trim() === '') return { value: null, problem: null };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { value: value as Readonly<Record<string, unknown>>, problem: null };
    }
  } catch {
    // said below
  }
  return { value: null, problem: 'This is not a JSON object yet; files wait until it is.' };
}
