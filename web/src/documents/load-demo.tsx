import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { t } from '../language/translate.js';

/** Loads the example documents of the service, and waits until they are ready. */
export function LoadDemo({ onLoaded }: { readonly onLoaded: () => void }): JSX.Element {
  const { client } = useSession();
  const [ready, setReady] = useState<readonly [number, number] | null>(null);
  const load = useCall(async (signal) => {
    const created = await client.loadDemo({ signal });
    setReady([0, created.length]);
    let done = 0;
    await Promise.all(
      created.map(async ({ external_id: id }) => {
        await client.wait(id, { signal });
        done += 1;
        setReady([done, created.length]);
      }),
    );
    return true;
  });
  const run = async (): Promise<void> => {
    await load.run();
    onLoaded();
  };
  const progress =
    ready === null ? t('action.loading') : t('demo.progress', { done: ready[0], count: ready[1] });
  return (
    <>
      <button type="button" aria-disabled={load.running} onClick={() => void (load.running || run())}>
        {load.running ? progress : t('demo.load')}
      </button>
      <ErrorNotice error={load.error} />
    </>
  );
}
