import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { Conversations } from '../ask/conversations.js';
import { Home } from '../ask/home.js';
import { SharedChatView } from '../ask/shared-chat.js';
import { ChatListContext, useChats } from '../chats/chat-list.js';
import { DocumentView } from '../documents/document-view.js';
import { Busy } from '../design/notices.js';
import { Documents } from '../documents/documents.js';
import { Evaluation } from '../evaluation/evaluation.js';
import { FeedbackView } from '../feedback/feedback-view.js';
import { Search } from '../search/search.js';
import { People } from '../people/people.js';
import { SettingsView } from '../settings/settings.js';
import { Ahead } from '../source/ahead.js';
import { SignInLink } from '../sign-in/sign-in-link.js';
import { SignIn } from '../sign-in/sign-in.js';
import { AdminOnly } from './admin-only.js';
import { KEY_REFUSED } from './calls.js';
import type { Key } from '../language/words.js';
import { forgetKept, storedKept, storeKept } from './kept.js';
import { Names } from '../names/names.js';
import { Navigation } from './navigation.js';
import { goTo, hrefOf, routeOf, useRoute, useSignInCode, type Route } from './router.js';
import { DevicesView } from '../devices/devices.js';
import { comeBack, reasonIn } from '../sign-in/provider.js';
import { useBrowserSession } from './browser-session.js';
import {
  clientWith,
  forgetKey,
  holderOf,
  holderOfSession,
  needsKey,
  SessionContext,
  storedKey,
  storeKey,
  useSession,
  type Session,
} from './session.js';
import { language, t } from '../language/translate.js';

const SIGNED_OUT = 'app.signedOut' satisfies Key;

/** The shell of the playground: shows the sign-in form or, after sign-in, the views. */
export function App(): JSX.Element {
  const [key, setKey] = useState<string | null>(storedKey);
  const [reason, setReason] = useState<Key | null>(reasonIn);
  const [code, removeCode] = useSignInCode();
  const [browser, setBrowser, isAsking] = useBrowserSession(needsKey && key === null && code === null);
  const session = useMemo<Session | null>(() => {
    if (needsKey && key === null && browser === null) {
      if (isAsking) return null;
      forgetKept(); // the user may have signed out in another tab, so kept state is removed here too
      return null;
    }
    const ending = new AbortController();
    const signOut = (why?: Key): void => {
      ending.abort();
      forgetKey();
      forgetSearch();
      setReason(why === KEY_REFUSED && browser !== null ? SIGNED_OUT : (why ?? null));
      setKey(null);
      setBrowser(null);
    };
    const client = clientWith(needsKey ? key : null);
    const uploadClient = clientWith(needsKey ? key : null, 0);
    const holder = browser === null ? holderOf(needsKey ? key : null) : holderOfSession(browser);
    const { signal: ended } = ending;
    const kept = storedKept(key ?? browser?.key_id ?? null);
    const readsOthers = holder.can('admin');
    const refused = (): void => {
      signOut(KEY_REFUSED);
    };
    const conversations = new Conversations({ client, kept, ended, refused, readsOthers });
    return {
      client,
      uploadClient,
      needsKey,
      holder,
      browser,
      signOut,
      ended,
      kept,
      conversations,
      names: new Names((ids) =>
        holder.can('read') ? client.people.names(ids, { signal: ended }) : Promise.resolve([]),
      ),
      ahead: new Ahead(),
    };
  }, [key, browser, isAsking]);
  useEffect(() => {
    if (session === null) return;
    const leave = (): void => {
      storeKept(session.kept, key ?? browser?.key_id ?? null);
    };
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
    };
  }, [session]);
  const enter = (given: string, stay: boolean): void => {
    forgetKey();
    storeKey(given, stay);
    setReason(null);
    setKey(given);
  };
  if (needsKey && code !== null) {
    return (
      <SignInLink
        code={code}
        onSession={(opened) => {
          removeCode();
          forgetKey();
          setReason(null);
          setKey(null);
          setBrowser(opened);
        }}
        onLeave={removeCode}
      />
    );
  }
  if (session === null) {
    if (isAsking) return <Busy>{t('app.loading')}</Busy>;
    return <SignIn reason={reason} onKey={enter} />;
  }
  return (
    <SessionContext.Provider value={session}>
      <Shell />
    </SessionContext.Provider>
  );
}

/** Removes what was searched for from the address, because somebody else may sign in next. */
function forgetSearch(): void {
  if (routeOf(location.hash).view === 'search') history.replaceState(null, '', hrefOf('search'));
}

function Shell(): JSX.Element {
  const { holder } = useSession();
  const asked = useRoute();
  // A key without the permission `query` sees the list of documents as its home.
  const route: Route =
    asked.view === 'ask' && !holder.can('query') ? { ...asked, view: 'documents', id: null } : asked;
  const main = useRef<HTMLElement>(null);
  const chats = useChats();
  const place = `${route.view}/${route.id ?? ''}`;
  const before = useRef(place);
  // Before the effects of the view, which may know a better title.
  useLayoutEffect(() => {
    document.title = `${t(`view.${route.view}`)} · Lectern`;
  }, [place, language()]);
  useEffect(() => {
    // The view may already have focused one of its fields.
    const isElsewhere = main.current?.contains(document.activeElement) !== true;
    if (before.current !== place && isElsewhere) main.current?.focus({ preventScroll: true });
    before.current = place;
  }, [place]);
  useEffect(comeBack, []);
  useEffect(() => {
    const toSearch = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      goTo(hrefOf('search', null, { focus: String(Date.now()) }));
    };
    addEventListener('keydown', toSearch);
    return () => {
      removeEventListener('keydown', toSearch);
    };
  }, []);
  return (
    <ChatListContext.Provider value={chats}>
      <div class="shell">
        <Navigation
          current={route}
          onSkip={() => {
            main.current?.focus();
          }}
        />
        <main ref={main} tabIndex={-1}>
          <Content route={route} />
        </main>
      </div>
    </ChatListContext.Provider>
  );
}

function Content({ route }: { readonly route: Route }): JSX.Element {
  const { view, id, params } = route;
  switch (view) {
    case 'documents':
      return id === null ? (
        <Documents folder={params.get('folder')} />
      ) : (
        <DocumentView key={id} id={id} params={params} />
      );
    case 'search':
      return <Search params={params} />;
    case 'ask':
      return <Home id={id} params={params} />;
    case 'shared':
      return id === null ? <Home id={null} params={params} /> : <SharedChatView key={id} id={id} />;
    case 'evaluation':
      return (
        <AdminOnly heading={t('view.evaluation')} refusal={t('app.onlyReports')}>
          <Evaluation />
        </AdminOnly>
      );
    case 'feedback':
      return <FeedbackView />;
    case 'people':
      return <People />;
    case 'devices':
      return <DevicesView />;
    case 'settings':
      return (
        <AdminOnly heading={t('view.settings')} refusal={t('app.onlySettings')}>
          <SettingsView />
        </AdminOnly>
      );
  }
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  );
}
