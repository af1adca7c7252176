import { useEffect, useRef, useState } from 'preact/hooks';
import { KEY_REFUSED } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { UploadQueue, type Upload } from './upload-queue.js';

const KEPT = 'uploads';

/** The uploads of this session. @param onSettled called when one has ended */
export function useUploads(onSettled: () => void): readonly [readonly Upload[], UploadQueue] {
  const { client, signOut, kept } = useSession();
  const queue =
    (kept.get(KEPT) as UploadQueue | undefined) ??
    new UploadQueue(client, () => {
      signOut(KEY_REFUSED);
    });
  kept.set(KEPT, queue);
  const [uploads, setUploads] = useState(queue.uploads);
  const ended = useRef(countEnded(queue.uploads));
  const settled = useRef(onSettled);
  settled.current = onSettled;
  useEffect(
    () =>
      queue.subscribe(() => {
        setUploads(queue.uploads);
        const now = countEnded(queue.uploads);
        if (now > ended.current) settled.current();
        ended.current = now;
      }),
    [queue],
  );
  return [uploads, queue];
}

function countEnded(uploads: readonly Upload[]): number {
  return uploads.filter(({ state }) => state === 'completed' || state === 'failed').length;
}
