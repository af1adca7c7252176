import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useCall, useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { inBatches } from '../documents/batches.js';
import { isPrivate } from '../documents/ownership.js';
import { t } from '../language/translate.js';

/** Maximum number of concurrent requests, each of which shares one document. */
const SHARED_AT_ONCE = 4;
const LISTED_AT_ONCE = 500;

interface PrivateInsideProps {
  readonly folder: string;
  /** The person whose documents these are. */
  readonly person: string;
  readonly onShared: () => void;
}

/** Offers to share those documents of a person in a shared folder that stayed private. Renders nothing without any. */
export function PrivateInside({ folder, person, onShared }: PrivateInsideProps): JSX.Element | null {
  const { client } = useSession();
  const [isShared, setShared] = useState(false);
  const [progress, setProgress] = useState('');
  const found = useLoaded(
    async (signal) => {
      const ids: string[] = [];
      const listed = client.list({
        folder_name: [folder],
        folder_depth: -1,
        end_user_id: person,
        fields: ['access_control', 'end_user_id'],
        pageSize: LISTED_AT_ONCE,
        signal,
      });
      for await (const document of listed) if (isPrivate(document)) ids.push(document.external_id);
      return ids;
    },
    [folder, person],
  );
  const ids = found.value ?? [];
  const share = useCall(async (signal) => {
    const following = { progress: 'batch.sharing', tell: setProgress, signal } as const;
    await inBatches(ids, SHARED_AT_ONCE, following, (batch) =>
      Promise.all(batch.map((id) => client.changeAccess(id, null, { signal }))),
    );
    setShared(true);
    return true;
  });
  const { length: count } = ids;
  if (isShared) {
    return (
      <p class="small muted" role="status">
        {t('who.saved')}
      </p>
    );
  }
  if (count === 0) return <ErrorNotice error={found.error} onRetry={found.reload} />;
  return (
    <div class="notice hint">
      <p>{t('who.privateInside', { count })}</p>
      <button
        type="button"
        class="small-button"
        disabled={share.running}
        onClick={() => {
          void share.run().then((done) => {
            if (done !== null) onShared();
          });
        }}
      >
        {t('who.shareInside')}
      </button>
      <p class="small muted" role="status">
        {share.running && progress}
      </p>
      <ErrorNotice error={share.error} />
    </div>
  );
}
