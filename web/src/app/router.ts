import { useLayoutEffect, useState } from 'preact/hooks';

export const VIEWS = [
  'ask',
  'documents',
  'search',
  'evaluation',
  'feedback',
  'people',
  'devices',
  'settings',
  'shared',
] as const;
export type View = (typeof VIEWS)[number];

/** A view of the playground in the URL's fragment, which is never sent to the server. */
export interface Route {
  readonly view: View;
  /** Id of a document or chat. */
  readonly id: string | null;
  readonly params: URLSearchParams;
}

type Params = Readonly<Record<string, string | number | null | undefined>>;

export function hrefOf(view: View, id: string | null = null, params: Params = {}): string {
  const given = Object.entries(params).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  const query = new URLSearchParams(given).toString();
  return `#/${view}${id === null ? '' : `/${encodeURIComponent(id)}`}${query === '' ? '' : `?${query}`}`;
}

/** Returns the route for a URL's fragment. An unknown view, as in links of earlier versions, becomes the home view. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [name = '', id] = path.split('/', 2);
  return {
    view: VIEWS.find((view) => view === name) ?? 'ask',
    id: id === undefined || id === '' ? null : decoded(id),
    params: new URLSearchParams(query),
  };
}

/** The code of a sign-in link; null if the URL is not a sign-in link. */
function signInCodeOf(hash: string): string | null {
  return /^#\/sign-in\/([\w-]+)$/.exec(hash)?.[1] ?? null;
}

export function goTo(href: string): void {
  location.hash = href;
}

export function useRoute(): Route {
  const [route] = useHash(routeOf);
  return route;
}

/**
 * The code of the open sign-in link, or null, and a function that removes the code from the URL, because a code works
 * only once.
 */
export function useSignInCode(): readonly [code: string | null, remove: () => void] {
  const [code, setCode] = useHash(signInCodeOf);
  const remove = (): void => {
    history.replaceState(null, '', '#/');
    setCode(null);
  };
  return [code, remove];
}

/** Reads the URL's fragment, again after each change. */
function useHash<Value>(read: (hash: string) => Value) {
  const [value, setValue] = useState(() => read(location.hash));
  // A layout effect, because the fragment may change before the first paint.
  useLayoutEffect(() => {
    const follow = (): void => {
      setValue(() => read(location.hash));
    };
    addEventListener('hashchange', follow);
    return () => {
      removeEventListener('hashchange', follow);
    };
  }, []);
  return [value, setValue] as const;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // an invalid escape, as in a URL typed by hand
  }
}
