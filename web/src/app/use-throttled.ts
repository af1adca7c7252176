import { useCallback, useEffect, useRef } from 'preact/hooks';

/** Limits calls to one per `ms`. The first call runs at once; calls during the pause run as one call at its end. */
export function useThrottled(call: () => void, ms: number): () => void {
  const latest = useRef(call);
  latest.current = call;
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const isDue = useRef(false);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
    },
    [],
  );
  return useCallback(() => {
    const run = (): void => {
      isDue.current = false;
      latest.current();
      timer.current = setTimeout(() => {
        timer.current = null;
        if (isDue.current) run();
      }, ms);
    };
    if (timer.current === null) run();
    else isDue.current = true;
  }, [ms]);
}
