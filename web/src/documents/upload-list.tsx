import type { JSX } from 'preact';
import { hrefOf } from '../app/router.js';
import type { Upload } from './upload-queue.js';

interface UploadListProps {
  readonly uploads: readonly Upload[];
  readonly onClear: () => void;
}

/** Failures first, finished ones last. */
const ORDER: readonly Upload['state'][] = ['failed', 'processing', 'sending', 'waiting', 'completed'];

/** The status of added files; a long list scrolls. */
export function UploadList({ uploads, onClear }: UploadListProps): JSX.Element {
  const sorted = [...uploads].sort((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
  const count = (state: Upload['state']): number => uploads.filter((one) => one.state === state).length;
  const failed = count('failed');
  return (
    <div class="uploads">
      <div class="row spread">
        <h2>Recently added</h2>
        <span class="small muted" role="status">
          {count('completed')} of {uploads.length} ready{failed === 0 ? '' : `, ${failed} failed`}
        </span>
        <button type="button" class="small-button" onClick={onClear}>
          Clear finished
        </button>
      </div>
      {/* focusable, so that the keyboard can scroll it */}
      <ul class="plain" tabIndex={0} aria-label="Recently added files">
        {sorted.map((upload) => (
          <UploadRow key={upload.key} upload={upload} />
        ))}
      </ul>
    </div>
  );
}

function UploadRow({ upload }: { readonly upload: Upload }): JSX.Element {
  const { name, state, step, percentage, documentId, problem } = upload;
  const isMoving = state === 'sending' || state === 'processing';
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
        <span class="small muted">
          {step}
          {isMoving ? ` ${percentage}%` : ''}
        </span>
      </div>
      {isMoving && <progress max={100} value={percentage} aria-label={`${step}: ${name}`} />}
      {problem !== null && (
        <p class="small problem-text" role="alert">
          {problem}
        </p>
      )}
    </li>
  );
}
