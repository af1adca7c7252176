import type { JSX } from 'preact';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { ErrorNotice } from '../design/notices.js';
import { inBatches } from './batches.js';
import { counted } from './describe.js';
import type { Chosen } from './document-row.js';
import { MoveDialog } from './move-dialog.js';
import { isPrivate } from './ownership.js';
import { stateOf } from './record.js';
import { ShareDialog } from './share-dialog.js';

/** Documents per request. Small, because the service deletes them one by one. */
const DELETED_AT_ONCE = 50;
const REQUEUED_AT_ONCE = 500;
/** To delete more documents than this, the user must type their number. */
const DELETED_WITHOUT_NUMBER = 10;

interface SelectionBarProps {
  readonly chosen: Chosen;
  /** Number of documents in the list that the key may change. */
  readonly total: number;
  /** Whether the list also has documents that the key may not change. */
  readonly isLimited: boolean;
  readonly folders: readonly string[];
  readonly isSelectingAll: boolean;
  readonly onSelectAll: () => void;
  readonly onClear: () => void;
  /** Called when all or some of the documents have been changed. */
  readonly onChange: () => void;
}

export function SelectionBar(props: SelectionBarProps): JSX.Element {
  const { chosen, total, isLimited, folders, isSelectingAll, onSelectAll, onClear, onChange } = props;
  const { client } = useSession();
  const documents = [...chosen.values()];
  const failed = documents.filter((one) => stateOf(one) === 'failed').map(({ external_id: id }) => id);
  const again = useCall(async (signal) => {
    const silent = { verb: '', tell: () => undefined, signal };
    await inBatches(failed, REQUEUED_AT_ONCE, silent, (ids) => client.requeue(ids, { signal }));
    return true;
  });
  const isAll = documents.length === total;
  const isWhole = isAll && !isLimited && total > 1;
  const which = isWhole ? `all ${counted(total, 'document')}` : counted(documents.length, 'document');
  return (
    <div class="selection" role="region" aria-label="Selected documents">
      <span class="row">
        <span role="status">
          {isSelectingAll
            ? 'Selecting…'
            : isWhole
              ? `All ${counted(total, 'document')} selected`
              : `${counted(documents.length, 'document')} selected`}
        </span>
        {!isAll && (
          <button type="button" class="link" disabled={isSelectingAll} onClick={onSelectAll}>
            Select all {total.toLocaleString('en')}
            {isLimited && ' of yours'}
          </button>
        )}
      </span>
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
            {failed.length === documents.length
              ? 'Try again'
              : `Try ${counted(failed.length, 'failed one')} again`}
          </button>
        )}
        <ShareDialog documents={documents.filter(isPrivate)} buttonClass="small-button" onDone={onChange} />
        <MoveDialog documents={documents} folders={folders} buttonClass="small-button" onDone={onChange} />
        <ActionDialog
          label="Delete…"
          title={`Delete ${which}?`}
          verb="Delete"
          isDangerous
          toType={documents.length > DELETED_WITHOUT_NUMBER ? documents.length.toLocaleString('en') : null}
          buttonClass="small-button"
          onDo={(signal, tell) =>
            inBatches(
              documents.map(({ external_id: id }) => id),
              DELETED_AT_ONCE,
              { verb: 'Deleting', tell, signal },
              (ids) => client.deleteAll(ids, { signal }),
            )
          }
          onDone={onChange}
          onStopped={onChange}
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
