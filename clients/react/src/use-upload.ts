import type { LecternClient } from '@lectern/client';
import { UploadStore, type ShownUploads } from '@lectern/client/ui';
import { useEffect, useInsertionEffect, useState } from 'react';
import { useStore } from './use-store.js';

export type UsedUploads = ShownUploads & Pick<UploadStore, 'add' | 'cancel' | 'retry' | 'clear'>;

/** Uploads of files. The functions stay the same ones. Unmounting stops those that are not sent yet. */
export function useUpload(client: LecternClient): UsedUploads {
  const [store] = useState(() => new UploadStore(client));
  useInsertionEffect(() => {
    store.configure(client);
  });
  useEffect(() => store.close, [store]);
  const { add, cancel, retry, clear } = store;
  return { ...useStore(store), add, cancel, retry, clear };
}
