import type { JSX } from 'preact';
import { Icon, type IconName } from '../design/icon.js';
import { ChatLinks } from '../chats/chat-links.js';
import { hrefOf, VIEW_NAMES, VIEWS, type Route, type View } from './router.js';
import { SignOut } from '../sign-in/sign-out.js';
import { useSession } from './session.js';
import { useTheme } from './theme.js';

const ICONS: Readonly<Record<View, IconName>> = {
  documents: 'document',
  search: 'search',
  ask: 'ask',
  evaluation: 'chart',
  feedback: 'thumbUp',
  people: 'people',
  devices: 'devices',
  settings: 'settings',
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
        Skip to content
      </a>
      <a class="brand" href={hrefOf('ask')}>
        <Icon name="lectern" />
        <span>Lectern</span>
      </a>
      <nav aria-label="Views" class="views">
        {views.map((view) => (
          <a key={view} href={hrefOf(view)} aria-current={view === shown ? 'page' : undefined}>
            <Icon name={ICONS[view]} />
            <span>{VIEW_NAMES[view]}</span>
          </a>
        ))}
      </nav>
      <div class="bar-chats">
        {canAsk && (
          <a class="new-chat" href={hrefOf('ask')}>
            <Icon name="plus" />
            <span>New chat</span>
          </a>
        )}
        <ChatLinks current={shown === 'ask' ? id : null} />
      </div>
      <div class="bar-end">
        <button type="button" class="quiet" aria-pressed={dark} onClick={toggle} title="Dark mode">
          <Icon name="contrast" />
          <span>Dark mode</span>
        </button>
        {HAS_DOCS && isAdmin && (
          <a
            class="quiet button"
            href="/docs"
            target="_blank"
            rel="noopener"
            title="API reference (opens in a new tab)"
          >
            <Icon name="code" />
            <span>
              API reference <Icon name="outside" />
              <span class="visually-hidden">(opens in a new tab)</span>
            </span>
          </a>
        )}
        {needsKey && holder.person !== null && (
          <a
            class="quiet button"
            href={hrefOf('devices')}
            aria-current={shown === 'devices' ? 'page' : undefined}
            title={VIEW_NAMES.devices}
          >
            <Icon name="devices" />
            <span>{VIEW_NAMES.devices}</span>
          </a>
        )}
        {needsKey && <SignOut />}
      </div>
    </header>
  );
}
