import type { JSX } from 'preact';
import type { ListedDocument } from '../api/lectern.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { inBatches } from './batches.js';
import { counted } from './describe.js';

/** Maximum number of concurrent requests, each of which shares one document. */
const SHARED_AT_ONCE = 4;

interface ShareDialogProps {
  /** Private documents that the key may change. If there are none, nothing is rendered. */
  readonly documents: readonly Pick<ListedDocument, 'external_id' | 'filename'>[];
  readonly buttonClass?: string;
  readonly onDone: () => void;
}

/** Shares private documents with everyone in the tenant. */
export function ShareDialog({ documents, buttonClass, onDone }: ShareDialogProps): JSX.Element | null {
  const { client, holder } = useSession();
  const [first] = documents;
  if (first === undefined) return null;
  const which =
    documents.length === 1 ? (first.filename ?? 'this document') : counted(documents.length, 'document');
  return (
    <ActionDialog
      label="Share with everyone…"
      title={`Share ${which} with everyone?`}
      verb="Share"
      {...(buttonClass === undefined ? {} : { buttonClass })}
      onDo={(signal, tell) =>
        inBatches(documents, SHARED_AT_ONCE, { verb: 'Sharing', tell, signal }, (batch) =>
          Promise.all(batch.map(({ external_id: id }) => client.share(id, { signal }))),
        )
      }
      onDone={onDone}
      onStopped={onDone}
    >
      <p>
        Everybody with access can read {documents.length === 1 ? 'it' : 'them'} and gets answers from{' '}
        {documents.length === 1 ? 'it' : 'them'}.
        {holder.changesOnlyOf !== null &&
          ` Afterwards only administrators can change or delete what you share, or make it private again.`}
      </p>
    </ActionDialog>
  );
}
