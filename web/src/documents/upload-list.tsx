import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { hrefOf } from '../app/router.js';

import { isEnded, overallOf, timeLeft, type Upload } from './upload.js';
import { t } from '../language/translate.js';
import { percentText } from '../language/quantities.js';

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
        <h2>{t('upload.heading')}</h2>
        <Summary uploads={uploads} />
        <button type="button" class="small-button" onClick={onClear}>
          {t('upload.clear')}
        </button>
      </div>
      {isOffline && (
        <p class="notice hint" role="status">
          {t('upload.offline')}
        </p>
      )}
      {pausedUntil !== null && <Pause until={pausedUntil} />}
      {unsent.length > 0 && (
        <p class="notice bad" role="alert">
          {t('upload.unsent', { count: unsent.length })}
        </p>
      )}
      {/* focusable, so that the keyboard can scroll it */}
      <ul class="plain" tabIndex={0} aria-label={t('upload.list')}>
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
  const ready = { done: count('completed'), count: uploads.length };
  const isOpen = uploads.some((one) => !isEnded(one));
  const { share, left } = overallOf(uploads, Date.now());
  return (
    <div class="upload-summary">
      <span class="small muted" role="status">
        {failed === 0 ? t('upload.ready', ready) : t('upload.readyFailed', { ...ready, failed })}
        {isOpen && left !== null ? ` · ${timeLeft(left)}` : ''}
      </span>
      {isOpen && <progress max={1} value={share} aria-label={t('upload.allFiles')} />}
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
      {t('upload.paused', { seconds: Math.max(1, Math.ceil((until - now) / 1_000)) })}
    </p>
  );
}

function UploadRow({ upload }: { readonly upload: Upload }): JSX.Element {
  const { name, folder, state, percentage, documentId, problem } = upload;
  const step = t(`upload.step.${upload.step}`);
  const isMoving = state === 'sending' || state === 'processing';
  return (
    <li class={`upload ${state}`}>
      <div class="row spread">
        <span>
          {documentId === null || state !== 'completed' ? (
            <bdi class="name">{name}</bdi>
          ) : (
            <a class="name" href={hrefOf('documents', documentId)} dir="auto">
              {name}
            </a>
          )}
          {folder !== '' && (
            <bdi class="small muted upload-folder" dir="auto">
              {folder}
            </bdi>
          )}
        </span>
        <span class="small muted">
          {step}
          {isMoving && percentage > 0 ? ` ${percentText(percentage)}` : ''}
        </span>
      </div>
      {isMoving && <progress max={100} value={percentage} aria-label={t('upload.stepOf', { step, name })} />}
      {problem !== null && (
        <p class="small problem-text" role="alert" dir="auto">
          {problem === 'deleted' ? t('upload.deleted') : problem.text}
        </p>
      )}
    </li>
  );
}
