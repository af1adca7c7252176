import { useEffect, useRef, useState } from 'preact/hooks';
import { KEY_REFUSED } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { UploadQueue, type Upload } from './upload-queue.js';

const KEPT = 'uploads';

/** The uploads of this session. @param onStep called when a document is created and when its processing ends */
export function useUploads(onStep: () => void): readonly [readonly Upload[], UploadQueue] {
  const { client, signOut, ended, kept } = useSession();
  const queue =
    (kept.get(KEPT) as UploadQueue | undefined) ??
    new UploadQueue(client, ended, () => {
      signOut(KEY_REFUSED);
    });
  kept.set(KEPT, queue);
  const [uploads, setUploads] = useState(queue.uploads);
  const steps = useRef(countSteps(queue.uploads));
  const latest = useRef(onStep);
  latest.current = onStep;
  useEffect(
    () =>
      queue.subscribe(() => {
        setUploads(queue.uploads);
        const now = countSteps(queue.uploads);
        if (now > steps.current) latest.current();
        steps.current = now;
      }),
    [queue],
  );
  return [uploads, queue];
}

function countSteps(uploads: readonly Upload[]): number {
  const documents = uploads.filter(({ documentId }) => documentId !== null);
  const ended = uploads.filter(({ state }) => state === 'completed' || state === 'failed');
  return documents.length + ended.length;
}
