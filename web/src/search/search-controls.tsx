import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ValidationProblem } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { Icon } from '../design/icon.js';
import { hindranceOf, setCount, EMPTY_FORM, type RetrievalForm } from './retrieval-form.js';
import { RetrievalOptions } from './retrieval-options.js';
import { t } from '../language/translate.js';

interface SearchControlsProps {
  readonly form: RetrievalForm;
  readonly onChange: (form: RetrievalForm) => void;
  /** Validation errors of the last request. */
  readonly problems: readonly ValidationProblem[];
  /** Whether the query is an image, which always searches pages. */
  readonly byImage: boolean;
  /** The number of passages without the option. */
  readonly passages: number;
}

/**
 * A drawer with options, and the folder to search, unless documents are chosen. The folders come last, because they are
 * loaded: otherwise the button would move under the pointer.
 */
export function SearchControls(props: SearchControlsProps): JSX.Element {
  const { form, onChange, problems } = props;
  const { client } = useSession();
  const folders = useLoaded((signal) => client.folders.list({ signal }), []);
  const drawer = useRef<HTMLDialogElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const isNeeded = problems.length > 0;
  useEffect(() => {
    if (isNeeded && drawer.current?.open === false) drawer.current.showModal();
  }, [isNeeded]);
  const count = setCount(form);
  const paths = (folders.value ?? []).map(({ full_path: path }) => path);
  const isUnknown = form.folder !== '' && folders.value !== null && !paths.includes(form.folder);
  const isNarrowed = form.folder === '' && form.documents.length > 0;
  const isFolderOffered = isUnknown || (paths.length > 0 && !isNarrowed);
  return (
    <div class="search-controls">
      <button ref={opener} type="button" class="plain-button" onClick={() => drawer.current?.showModal()}>
        <Icon name="sliders" />
        {count === 0 ? t('options.options') : t('options.set', { count })}
      </button>
      {isFolderOffered && (
        <label class="search-in">
          <span>{t('options.searchIn')}</span>
          <select
            value={form.folder}
            onChange={(event) => {
              onChange({ ...form, folder: event.currentTarget.value });
            }}
          >
            <option value="">{t('options.everywhere')}</option>
            {[...(isUnknown ? [form.folder] : []), ...paths].map((path) => (
              <option key={path} value={path}>
                {path}
              </option>
            ))}
          </select>
        </label>
      )}
      <dialog ref={drawer} class="drawer" aria-label={t('options.options')}>
        <div class="row spread drawer-head">
          <h2>{t('options.options')}</h2>
          <button
            type="button"
            class="icon-button"
            aria-label={t('options.close')}
            onClick={() => drawer.current?.close()}
          >
            <Icon name="close" />
          </button>
        </div>
        <RetrievalOptions {...props} />
        <div class="row end">
          <button
            type="button"
            disabled={count === 0}
            onClick={() => {
              onChange({ ...EMPTY_FORM, folder: form.folder, documents: form.documents });
            }}
          >
            {t('options.reset')}
          </button>
          <button
            type="button"
            class="primary"
            disabled={hindranceOf(form) !== null}
            onClick={() => drawer.current?.close()}
          >
            {t('action.done')}
          </button>
        </div>
      </dialog>
    </div>
  );
}

/** Shown instead of results when the options were refused. */
export function OptionsRefused(): JSX.Element {
  return (
    <p class="notice bad" role="alert">
      {t('options.refused')}
    </p>
  );
}
