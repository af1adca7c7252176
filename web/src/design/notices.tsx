import type { ComponentChildren, JSX } from 'preact';
import { LecternError, type ValidationProblem } from '../api/lectern.js';
import { language, rich, t } from '../language/translate.js';
import { PageError } from './page-error.js';

/** An error message of the service, with the request id for a search in the service's log. */
export function ErrorNotice({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: () => void;
}): JSX.Element | null {
  if (error === null || error === undefined) return null;
  const requestId = error instanceof LecternError ? error.requestId : null;
  // Retrying a refused request is useless.
  const isRefusal =
    error instanceof LecternError && error.status >= 400 && error.status < 500 && error.status !== 429;
  return (
    <div class="notice bad" role="alert">
      <ul class="plain">
        {sentencesOf(error).map((sentence) => (
          <li key={sentence} dir="auto">
            {sentence}
          </li>
        ))}
      </ul>
      {requestId !== null && (
        <p class="small">{rich('notice.requestId', { id: <code>{requestId}</code> })}</p>
      )}
      {onRetry !== undefined && !isRefusal && (
        <button type="button" onClick={onRetry}>
          {t('action.retry')}
        </button>
      )}
    </div>
  );
}

/** Whether the service does not have what was asked for, or not for this reader. */
export function isGone(error: unknown): boolean {
  return error instanceof LecternError && error.status === 404;
}

/** Whether the service refuses something with a sentence about keys. A reader of a page has a role, and knows no keys. */
export function isOfKeys(error: unknown): boolean {
  if (!(error instanceof LecternError) || error.status !== 403 || typeof error.detail !== 'string')
    return false;
  return /lacks the permission|\bkey\b/.test(error.detail);
}

export function sentencesOf(error: unknown): string[] {
  if (error instanceof PageError) return [t(error.key)];
  if (!(error instanceof LecternError)) return [error instanceof Error ? error.message : String(error)];
  const { detail, status } = error;
  if (status === 0) return [t('notice.unreachable')];
  const isOfRole = typeof detail === 'string' && detail.includes('lacks the permission');
  if (isOfKeys(error)) return [t(isOfRole ? 'notice.lacksPermission' : 'notice.refused')];
  const sentences = typeof detail === 'string' ? [detail] : detail.map(problemText);
  // The service speaks English.
  return language() === 'en' ? sentences : [t(meaningOf(status)), ...sentences];
}

/** What an error means to a reader, for whom the sentence of the service is a detail in another language. */
function meaningOf(status: number): Meaning {
  return MEANINGS[status] ?? (status < 500 ? 'notice.invalid' : 'notice.failed');
}

type Meaning =
  | 'notice.conflict'
  | 'notice.failed'
  | 'notice.gone'
  | 'notice.invalid'
  | 'notice.refused'
  | 'notice.tooLarge'
  | 'notice.tooMany'
  | 'notice.unknownType';

const MEANINGS: Readonly<Partial<Record<number, Meaning>>> = {
  401: 'notice.refused',
  403: 'notice.refused',
  404: 'notice.gone',
  409: 'notice.conflict',
  410: 'notice.gone',
  412: 'notice.conflict',
  413: 'notice.tooLarge',
  415: 'notice.unknownType',
  429: 'notice.tooMany',
};

export function problemText({ loc, msg }: ValidationProblem): string {
  const place = loc.filter((part) => part !== 'body').join('.');
  const sentence = msg.replace(/^Value error, /, '');
  return place === '' ? sentence : `${place}: ${sentence}`;
}

/** Placeholder in an empty view. It explains the purpose of the view and the next step. */
export function EmptyState({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <div>{children}</div>
    </div>
  );
}

/** A status, announced to screen readers on change. */
export function Busy({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <p class="busy" role="status">
      {children}
    </p>
  );
}

/** Placeholder lines for a text that is loading. */
export function Skeleton(): JSX.Element {
  return (
    <div class="skeleton" aria-hidden="true">
      <span />
      <span />
      <span />
    </div>
  );
}
