import type { JSX } from 'preact';
import type { ListedDocument } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { ErrorNotice } from '../design/notices.js';
import { counted } from './describe.js';
import { MoveDialog } from './move-dialog.js';
import { stateOf } from './record.js';

interface SelectionBarProps {
  readonly documents: readonly ListedDocument[];
  readonly folders: readonly string[];
  readonly onClear: () => void;
  /** Called when documents were changed. */
  readonly onChange: () => void;
}

/** The actions on the selected documents. */
export function SelectionBar({ documents, folders, onClear, onChange }: SelectionBarProps): JSX.Element {
  const { client } = useSession();
  const failed = documents.filter((one) => stateOf(one) === 'failed').map(({ external_id: id }) => id);
  const again = useCall((signal) => client.requeue(failed, { signal }));
  return (
    <div class="selection" role="region" aria-label="Selected documents">
      <span role="status">{counted(documents.length, 'document')} selected</span>
      <span class="row">
        {failed.length > 0 && (
          <button
            type="button"
            class="small-button"
            disabled={again.running}
            onClick={() => {
              void again.run().then((done) => {
                if (done !== null) onChange();
              });
            }}
          >
            Try again
          </button>
        )}
        <MoveDialog documents={documents} folders={folders} buttonClass="small-button" onDone={onChange} />
        <ActionDialog
          label="Delete…"
          title={`Delete ${counted(documents.length, 'document')}?`}
          verb="Delete"
          isDangerous
          buttonClass="small-button"
          onDo={(signal) =>
            client.deleteAll(
              documents.map(({ external_id: id }) => id),
              { signal },
            )
          }
          onDone={onChange}
        >
          <p>Their text, passages, pages and files are deleted too. This cannot be undone.</p>
        </ActionDialog>
        <button type="button" class="small-button" onClick={onClear}>
          Clear selection
        </button>
      </span>
      <ErrorNotice error={again.error} />
    </div>
  );
}
