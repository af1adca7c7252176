import { useId, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { CopyButton } from '../design/copy-button.js';
import { Tabs } from '../design/tabs.js';
import type { DescribedRequest } from './described-request.js';
import { LANGUAGES, toCode, type Language } from './to-code.js';

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

/** The requests of a view as copyable code. */
export function RequestCode({ title, requests }: RequestCodeProps): JSX.Element | null {
  const [language, setLanguage] = useState<Language>('curl');
  const [open, setOpen] = useState(false);
  const id = useId();
  if (requests.length === 0) return null;
  return (
    <details
      class="request-code"
      open={open}
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>{title} as code</summary>
      {open && (
        <Tabs
          label="Language"
          id={`code-${id}`}
          tabs={LANGUAGES.map((name) => ({ name, label: NAMES[name] }))}
          chosen={language}
          onChoose={setLanguage}
        >
          {requests.map((request) => {
            const code = toCode(request, language, location.origin);
            return (
              <figure key={`${request.method} ${request.path}`}>
                <figcaption>
                  <code>
                    {request.method} {request.path}
                  </code>
                  <CopyButton text={code} label={`Copy ${request.method} ${request.path}`} />
                </figcaption>
                <pre
                  tabIndex={0}
                  role="region"
                  aria-label={`${request.method} ${request.path} as ${NAMES[language]}`}
                >
                  {code}
                </pre>
              </figure>
            );
          })}
        </Tabs>
      )}
    </details>
  );
}
