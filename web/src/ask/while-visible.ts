/** Time between two looks: at first, and at most. It doubles while nothing changes. */
const [FIRST_MS, MOST_MS] = [4_000, 32_000];

const SIGNS_OF_A_READER = ['focus', 'pointerdown', 'keydown'] as const;

interface Watch {
  /** Looks for a change that another page or device has made. @returns whether there is one */
  readonly look: () => Promise<boolean>;
  /** Called when the page is shown again. */
  readonly onShown: () => void;
}

/**
 * Looks for changes every few seconds while the page is visible: often while there are changes or a reader acts, and
 * less and less often while a page only stands there.
 *
 * @returns a function that ends it
 */
export function whileVisible({ look, onShown }: Watch): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  let wait = FIRST_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lookedAt = Date.now();
  let isLooking = false;
  const plan = (): void => {
    clearTimeout(timer);
    if (!document.hidden && !signal.aborted) timer = setTimeout(run, wait);
  };
  const run = (): void => {
    if (document.hidden || isLooking) return;
    isLooking = true;
    lookedAt = Date.now();
    void look().then((hasChanged) => {
      wait = hasChanged ? FIRST_MS : Math.min(wait * 2, MOST_MS);
      isLooking = false;
      plan();
    });
  };
  const wake = (): void => {
    if (wait === FIRST_MS) return;
    wait = FIRST_MS;
    if (Date.now() - lookedAt > FIRST_MS) run();
    else plan();
  };
  for (const sign of SIGNS_OF_A_READER) addEventListener(sign, wake, { signal, passive: true });
  document.addEventListener(
    'visibilitychange',
    () => {
      wait = FIRST_MS;
      if (!document.hidden) onShown();
      plan();
    },
    { signal },
  );
  plan();
  return () => {
    ended.abort();
    clearTimeout(timer);
  };
}
