import type { JSX } from 'preact';
import { Icon, type IconName } from '../design/icon.js';
import { ChatLinks } from '../chats/chat-links.js';
import { LanguageChoice } from './language-choice.js';
import { hrefOf, VIEWS, type Route, type View } from './router.js';
import { SignOut } from '../sign-in/sign-out.js';
import { useSession } from './session.js';
import { useTheme } from './theme.js';
import { t } from '../language/translate.js';

const ICONS: Readonly<Record<View, IconName>> = {
  documents: 'document',
  search: 'search',
  ask: 'ask',
  evaluation: 'chart',
  feedback: 'thumbUp',
  people: 'people',
  devices: 'devices',
  settings: 'settings',
  shared: 'chats',
};

/** Whether the API reference is available; DOCS=false turns it off. */
const HAS_DOCS = document.documentElement.dataset['docs'] !== 'false';

interface NavigationProps {
  readonly current: Route;
  /** Moves the focus to the content. */
  readonly onSkip: () => void;
}

/** The navigation: at the side on a wide screen, above and below the content on a narrow one. */
export function Navigation({ current, onSkip }: NavigationProps): JSX.Element {
  const { view: shown, id } = current;
  const { needsKey, holder } = useSession();
  const isAdmin = holder.can('admin');
  const canAsk = holder.can('query');
  const hidden: Partial<Record<View, boolean>> = {
    ask: !canAsk,
    documents: !holder.can('read'),
    search: !holder.can('read'),
    evaluation: !isAdmin,
    feedback: !isAdmin,
    people: !isAdmin || !needsKey,
    settings: !isAdmin,
    shared: true, // opened by a link
    devices: true, // at the end of the bar, beside the person's name
  };
  const views = VIEWS.filter((view) => hidden[view] !== true);
  const [dark, toggle] = useTheme();
  return (
    <header class="app-bar">
      <a
        class="skip"
        href={location.hash}
        onClick={(event) => {
          event.preventDefault();
          onSkip();
        }}
      >
        {t('app.skip')}
      </a>
      <a class="brand" href={hrefOf('ask')}>
        <Icon name="lectern" />
        <span>Lectern</span>
      </a>
      <nav aria-label={t('app.views')} class="views">
        {views.map((view) => (
          <a key={view} href={hrefOf(view)} aria-current={view === shown ? 'page' : undefined}>
            <Icon name={ICONS[view]} />
            <span>{t(`view.${view}`)}</span>
          </a>
        ))}
      </nav>
      <div class="bar-chats">
        {canAsk && (
          <a class="new-chat" href={hrefOf('ask')}>
            <Icon name="plus" />
            <span>{t('app.newChat')}</span>
          </a>
        )}
        <ChatLinks current={shown === 'ask' ? id : null} />
      </div>
      <div class="bar-end">
        <button type="button" class="quiet" aria-pressed={dark} onClick={toggle} title={t('app.darkMode')}>
          <Icon name="contrast" />
          <span>{t('app.darkMode')}</span>
        </button>
        <LanguageChoice />
        {HAS_DOCS && isAdmin && (
          <a
            class="quiet button"
            href="/docs"
            target="_blank"
            rel="noopener"
            title={`${t('app.reference')} ${t('app.newTab')}`}
          >
            <Icon name="code" />
            <span>
              {t('app.reference')} <Icon name="outside" />
              <span class="visually-hidden">{t('app.newTab')}</span>
            </span>
          </a>
        )}
        {needsKey && holder.person !== null && (
          <a
            class="quiet button"
            href={hrefOf('devices')}
            aria-current={shown === 'devices' ? 'page' : undefined}
            title={t('view.devices')}
          >
            <Icon name="devices" />
            <span>{t('view.devices')}</span>
          </a>
        )}
        {needsKey && <SignOut />}
      </div>
    </header>
  );
}
