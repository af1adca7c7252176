import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useSession } from '../app/session.js';

interface Place {
  readonly of: string;
  readonly top: number;
}

/** Restores the scroll position of a list. @param isShown whether its rows are rendered */
export function useScrollKept(name: string, of: string, isShown: boolean): void {
  const { kept } = useSession();
  const latest = useRef(of);
  latest.current = of;
  useLayoutEffect(
    () => () => {
      kept.set(name, { of: latest.current, top: scrollY });
    },
    [],
  );
  useEffect(() => {
    const place = kept.get(name) as Place | undefined;
    if (!isShown || place === undefined) return;
    kept.delete(name); // later rows are not scrolled
    if (place.of === of) scrollTo(0, place.top);
  }, [isShown]);
}
