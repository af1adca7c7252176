import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** How long nothing may arrive until the page says what it waits for, in milliseconds. */
const PATIENCE_MS = 15_000;

/** Says what the page waits for when nothing has arrived for a while. @param last changes with everything that arrives */
export function Silence({
  last,
  children,
}: {
  readonly last: unknown;
  readonly children: string;
}): JSX.Element | null {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    const timer = setTimeout(() => {
      setLong(true);
    }, PATIENCE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [last]);
  return isLong ? (
    <p class="small muted" role="status">
      {children}
    </p>
  ) : null;
}
