import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import { useLoaded } from '../app/calls.js';
import { goTo, hrefOf, useRoute } from '../app/router.js';
import { useSession } from '../app/session.js';
import { Icon } from '../design/icon.js';
import { Busy } from '../design/notices.js';
import { Tabs } from '../design/tabs.js';
import { RecordError } from '../documents/record-error.js';
import { hasPages, isDrawn, recordOf } from './source-data.js';
import { PageView } from './page-view.js';
import { closedHref, shownSource, type ShownSource } from './place.js';
import { TextView } from './text-view.js';
import { t } from '../language/translate.js';

/** Up to this width the source covers the view. The style sheet has the same value. */
const NARROW = '(max-width: 60rem)';

/** Shows a view and the source that the URL names. The source is beside the view or, on a narrow screen, covers it. */
export function WithSource({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const route = useRoute();
  const source = shownSource(route);
  const isCovered = useMatches(NARROW) && source !== null;
  return (
    <div class={source === null ? 'source-layout' : 'source-layout with-source'}>
      <div class="beside-source" inert={isCovered}>
        {children}
      </div>
      {source !== null && <SourcePane key={source.id} source={source} closed={closedHref(route)} />}
    </div>
  );
}

type Part = 'page' | 'text';

interface SourcePaneProps {
  readonly source: ShownSource;
  /** The URL of the view without the source. */
  readonly closed: string;
}

function SourcePane({ source, closed }: SourcePaneProps): JSX.Element {
  const session = useSession();
  const { id, chunk, page, quote } = source;
  const key = JSON.stringify(source);
  const [shown, setShown] = useState(source);
  const [chosen, setChosen] = useState<Part | null>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const opener = useRef<HTMLElement | null>(null);
  const isOld = useRef(false);
  const record = useLoaded(() => recordOf(session, id, isOld.current), [id]);
  const reload = (): void => {
    isOld.current = true;
    record.reload();
  };
  useEffect(() => {
    opener.current =
      [...document.querySelectorAll<HTMLElement>('.beside-source a')].find(
        (link) => link.getAttribute('href') === location.hash,
      ) ?? null;
    setShown(source);
    title.current?.focus({ preventScroll: true });
    opener.current?.scrollIntoView({ block: 'nearest' });
  }, [key]);
  useEffect(() => {
    const close = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) goTo(closed);
    };
    addEventListener('keydown', close);
    return () => {
      removeEventListener('keydown', close);
    };
  }, [closed]);
  useEffect(
    () => () => {
      const link = opener.current;
      // In the next frame, because the view cannot take the focus while it is inert.
      requestAnimationFrame(() => link?.focus());
    },
    [],
  );
  const document_ = record.value;
  const name = document_?.filename ?? id;
  const type = document_?.content_type ?? '';
  const isPaged = document_ !== null && hasPages(document_);
  // The page of a passage of an office document is not known if its pages are stored images, which have no words.
  const usual = document_ !== null && (isDrawn(document_) || page !== null) ? 'page' : 'text';
  const part = isPaged ? (chosen ?? usual) : 'text';
  return (
    <aside class="source-pane card" aria-label={t('source.source')}>
      <div class="row spread source-head">
        <h2 ref={title} tabIndex={-1}>
          {document_ === null ? t('source.source') : <bdi>{name}</bdi>}
        </h2>
        <a class="icon-button" href={closed} aria-label={t('source.close')} title={t('source.closeHint')}>
          <Icon name="close" />
        </a>
      </div>
      <RecordError error={record.error} onRetry={record.reload} more={t('source.older')} />
      {document_ === null && record.error === null && <Busy>{t('source.opening')}</Busy>}
      {document_ !== null && (
        <>
          {quote !== null && (
            <blockquote class="small source-quote" dir="auto">
              {quote}
            </blockquote>
          )}
          <Tabs
            label={t('source.views')}
            id="source"
            tabs={[
              ...(isPaged ? [{ name: 'page' as const, label: t('source.page') }] : []),
              { name: 'text' as const, label: t('document.part.text') },
            ]}
            chosen={part}
            onChoose={setChosen}
          >
            {part === 'page' && (
              <PageView
                source={shown}
                name={name}
                document={document_}
                onChange={reload}
                onNotFound={() => {
                  if (chosen === null) setChosen('text');
                }}
              />
            )}
            {part === 'text' && <TextView source={shown} contentType={type} />}
          </Tabs>
          <p class="small source-foot">
            <a
              href={hrefOf('documents', id, { chunk, quote, page, part: chosen === 'text' ? 'text' : null })}
            >
              {t('source.open')}
            </a>
          </p>
        </>
      )}
    </aside>
  );
}

function useMatches(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const follow = (): void => {
      setMatches(media.matches);
    };
    media.addEventListener('change', follow);
    return () => {
      media.removeEventListener('change', follow);
    };
  }, [query]);
  return matches;
}
