import { useEffect, useState } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';

/** Where there is room beside the results. */
const WIDE = matchMedia('(width > 60rem)');

/** Options at the side; on a narrow screen they are folded until somebody wants them. */
export function OptionsPanel({
  needed,
  children,
}: {
  /** Whether there is something in it that has to be seen. */
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

/** Stands where the results would be, so that nobody has to look for the reason why there are none. */
export function OptionsRefused(): JSX.Element {
  return (
    <p class="notice bad" role="alert">
      The service refused the request; what it says stands at the options.
    </p>
  );
}
