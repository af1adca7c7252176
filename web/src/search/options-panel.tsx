import { useEffect, useState } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';

/** Wide enough for options beside the results. */
const WIDE = matchMedia('(width > 60rem)');

/** Options at the side; collapsed on a narrow screen. */
export function OptionsPanel({
  needed,
  children,
}: {
  /** Whether it must be visible, for example because of an error. */
  readonly needed: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const [wide, setWide] = useState(WIDE.matches);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    const follow = (): void => {
      setWide(WIDE.matches);
    };
    WIDE.addEventListener('change', follow);
    return () => {
      WIDE.removeEventListener('change', follow);
    };
  }, []);
  useEffect(() => {
    if (needed) setOpened(true);
  }, [needed]);
  if (wide) {
    return (
      <aside aria-label="Options" class="card options">
        {children}
      </aside>
    );
  }
  return (
    <details
      class="card options"
      open={opened}
      onToggle={(event) => {
        setOpened(event.currentTarget.open);
      }}
    >
      <summary>Options and filter</summary>
      {children}
    </details>
  );
}

/** Shown instead of results when the options were refused. */
export function OptionsRefused(): JSX.Element {
  return (
    <p class="notice bad" role="alert">
      The service refused the request; the options show the reason.
    </p>
  );
}
