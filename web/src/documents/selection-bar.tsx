import type { JSX } from 'preact';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { ErrorNotice } from '../design/notices.js';
import { inBatches } from './batches.js';

import type { Chosen } from './document-row.js';
import { MoveDialog } from './move-dialog.js';
import { isUnshared } from './ownership.js';
import { stateOf } from './record.js';
import { ShareDialog } from './share-dialog.js';
import { t } from '../language/translate.js';
import { numberText } from '../language/quantities.js';

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
    const silent = { progress: null, tell: () => undefined, signal };
    await inBatches(failed, REQUEUED_AT_ONCE, silent, (ids) => client.requeue(ids, { signal }));
    return true;
  });
  const isAll = documents.length === total;
  const isWhole = isAll && !isLimited && total > 1;
  const { length: count } = documents;
  return (
    <div class="selection" role="region" aria-label={t('selection.label')}>
      <span class="row">
        <span role="status">
          {isSelectingAll
            ? t('selection.selecting')
            : t(isWhole ? 'selection.all' : 'selection.some', { count })}
        </span>
        {!isAll && (
          <button type="button" class="link" disabled={isSelectingAll} onClick={onSelectAll}>
            {t(isLimited ? 'selection.selectAllYours' : 'selection.selectAll', { count: total })}
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
            {failed.length === count
              ? t('action.retry')
              : t('selection.retryFailed', { count: failed.length })}
          </button>
        )}
        <ShareDialog documents={documents.filter(isUnshared)} buttonClass="small-button" onDone={onChange} />
        <MoveDialog documents={documents} folders={folders} buttonClass="small-button" onDone={onChange} />
        <ActionDialog
          label={t('action.deleteDots')}
          title={t(isWhole ? 'documents.deleteAll' : 'documents.deleteSome', { count })}
          verb={t('action.delete')}
          isDangerous
          toType={count > DELETED_WITHOUT_NUMBER ? numberText(count) : null}
          buttonClass="small-button"
          onDo={(signal, tell) =>
            inBatches(
              documents.map(({ external_id: id }) => id),
              DELETED_AT_ONCE,
              { progress: 'batch.deleting', tell, signal },
              (ids) => client.deleteAll(ids, { signal }),
            )
          }
          onDone={onChange}
          onStopped={onChange}
        >
          <p>{t('documents.deleteSomeSure')}</p>
        </ActionDialog>
        <button type="button" class="small-button" onClick={onClear}>
          {t('selection.clear')}
        </button>
      </span>
      <ErrorNotice error={again.error} />
    </div>
  );
}
