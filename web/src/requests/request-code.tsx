import { useId, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { useSession } from '../app/session.js';
import { CopyButton } from '../design/copy-button.js';
import { Icon } from '../design/icon.js';
import { Tabs } from '../design/tabs.js';
import type { DescribedRequest } from './described-request.js';
import { LANGUAGES, toCode, type Language } from './to-code.js';
import { t } from '../language/translate.js';

const NAMES: Readonly<Record<Language, string>> = {
  curl: 'curl',
  python: 'Python',
  typescript: 'TypeScript',
};

interface RequestCodeProps {
  /** Purpose of the requests, such as "Search". */
  readonly title: string;
  readonly requests: readonly DescribedRequest[];
}

/** A button for the requests of a view as copyable code, for administrators. */
export function RequestCode({ title, requests }: RequestCodeProps): JSX.Element | null {
  const { holder } = useSession();
  const [language, setLanguage] = useState<Language>('curl');
  const [open, setOpen] = useState(false);
  const drawer = useRef<HTMLDialogElement>(null);
  const id = useId();
  if (requests.length === 0 || !holder.can('admin')) return null;
  const name = t('code.title', { title });
  return (
    <div class="request-code">
      <button
        type="button"
        class="icon-button"
        aria-label={name}
        title={name}
        onClick={() => {
          setOpen(true);
          drawer.current?.showModal();
        }}
      >
        <Icon name="code" />
      </button>
      <dialog
        ref={drawer}
        class="drawer wide"
        aria-labelledby={`title-${id}`}
        onClose={() => {
          setOpen(false);
        }}
      >
        <div class="row spread drawer-head">
          <h2 id={`title-${id}`}>{name}</h2>
          <button
            type="button"
            class="icon-button"
            aria-label={t('code.close')}
            onClick={() => drawer.current?.close()}
          >
            <Icon name="close" />
          </button>
        </div>
        {open && (
          <Tabs
            label={t('code.language')}
            id={`code-${id}`}
            tabs={LANGUAGES.map((one) => ({ name: one, label: NAMES[one] }))}
            chosen={language}
            onChoose={setLanguage}
          >
            {requests.map((request) => {
              const code = toCode(request, language, location.origin);
              const name = `${request.method} ${request.path}`;
              return (
                <figure key={name}>
                  <figcaption>
                    <code>{name}</code>
                    <CopyButton text={code} label={t('code.copy', { request: name })} />
                  </figcaption>
                  <pre
                    tabIndex={0}
                    role="region"
                    dir="ltr"
                    aria-label={t('code.as', { request: name, language: NAMES[language] })}
                  >
                    {code}
                  </pre>
                </figure>
              );
            })}
          </Tabs>
        )}
      </dialog>
    </div>
  );
}
