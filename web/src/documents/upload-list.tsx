import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { hrefOf } from '../app/router.js';
import { counted } from './describe.js';
import { isEnded, overallOf, timeLeft, type Upload } from './upload.js';

interface UploadListProps {
  readonly uploads: readonly Upload[];
  /** End of a pause, in milliseconds since 1970; null: no pause. */
  readonly pausedUntil: number | null;
  /** Whether the service cannot be reached. */
  readonly isOffline: boolean;
  readonly onClear: () => void;
}

/**
 * Order of the states: files that need an action of the user come first, finished files last. Files of one state are
 * sorted newest first.
 */
const ORDER: readonly Upload['state'][] = [
  'unsent',
  'failed',
  'checking',
  'processing',
  'sending',
  'waiting',
  'completed',
];

/** The status of added files; a long list scrolls. */
export function UploadList({ uploads, pausedUntil, isOffline, onClear }: UploadListProps): JSX.Element {
  const sorted = [...uploads].sort(
    (one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state) || other.key - one.key,
  );
  const unsent = uploads.filter(({ state }) => state === 'unsent');
  return (
    <div class="uploads">
      <div class="row spread">
        <h2>Recently added</h2>
        <Summary uploads={uploads} />
        <button type="button" class="small-button" onClick={onClear}>
          Clear finished
        </button>
      </div>
      {isOffline && (
        <p class="notice hint" role="status">
          The service cannot be reached. Sending continues as soon as it responds.
        </p>
      )}
      {pausedUntil !== null && <Pause until={pausedUntil} />}
      {unsent.length > 0 && (
        <p class="notice bad" role="alert">
          {counted(unsent.length, 'file')} {unsent.length === 1 ? 'was' : 'were'} not sent before the page was
          closed. Add {unsent.length === 1 ? 'it' : 'them'} again; the service has received all others.
        </p>
      )}
      {/* focusable, so that the keyboard can scroll it */}
      <ul class="plain" tabIndex={0} aria-label="Recently added files">
        {sorted.map((upload) => (
          <UploadRow key={upload.key} upload={upload} />
        ))}
      </ul>
    </div>
  );
}

/** The progress of all files together. */
function Summary({ uploads }: { readonly uploads: readonly Upload[] }): JSX.Element {
  const count = (state: Upload['state']): number => uploads.filter((one) => one.state === state).length;
  const failed = count('failed');
  const isOpen = uploads.some((one) => !isEnded(one));
  const { share, left } = overallOf(uploads, Date.now());
  return (
    <div class="upload-summary">
      <span class="small muted" role="status">
        {count('completed')} of {uploads.length} ready{failed === 0 ? '' : `, ${failed} failed`}
        {isOpen && left !== null ? ` · ${timeLeft(left)}` : ''}
      </span>
      {isOpen && <progress max={1} value={share} aria-label="All files" />}
    </div>
  );
}

function Pause({ until }: { readonly until: number }): JSX.Element {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
    }, 1_000);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return (
    <p class="notice hint" role="status">
      The service takes no more files for the moment. Sending goes on in{' '}
      {counted(Math.max(1, Math.ceil((until - now) / 1_000)), 'second')}.
    </p>
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
          {isMoving && percentage > 0 ? ` ${percentage}%` : ''}
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
