import { useEffect, useRef, useState } from 'preact/hooks';
import { KEY_REFUSED } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { UploadQueue } from './upload-queue.js';
import { isEnded, type Upload } from './upload.js';

const QUEUE = 'uploads.queue';
/** Name of the kept list of uploads. The list is plain data, so it survives a reload. */
const LIST = 'uploads.list';

/** The uploads of this session. @param onStep called when a document is created and when its processing ends */
export function useUploads(onStep: () => void): UploadQueue {
  const { uploadClient, signOut, ended, kept } = useSession();
  const queue =
    (kept.get(QUEUE) as UploadQueue | undefined) ??
    new UploadQueue(
      uploadClient,
      ended,
      () => {
        signOut(KEY_REFUSED);
      },
      (kept.get(LIST) ?? []) as readonly Upload[],
    );
  if (!kept.has(QUEUE)) {
    kept.set(QUEUE, queue);
    queue.subscribe(() => {
      kept.set(LIST, queue.uploads);
    });
  }
  const [, setChanges] = useState(0);
  const steps = useRef(countSteps(queue.uploads));
  const latest = useRef(onStep);
  latest.current = onStep;
  useEffect(
    () =>
      queue.subscribe(() => {
        setChanges((before) => before + 1);
        const now = countSteps(queue.uploads);
        if (now > steps.current) latest.current();
        steps.current = now;
      }),
    [queue],
  );
  return queue;
}

function countSteps(uploads: readonly Upload[]): number {
  const documents = uploads.filter(({ documentId }) => documentId !== null);
  return documents.length + uploads.filter(isEnded).length;
}
