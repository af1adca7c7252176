import type { JSX } from 'preact';
import type { AccessLists, ListedDocument } from '../api/lectern.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { changeLists } from './change-lists.js';
import { EVERYONE } from '../who/lists.js';
import { t } from '../language/translate.js';

interface ShareDialogProps {
  /** Documents of persons that the key may change. If there are none, nothing is rendered. */
  readonly documents: readonly Pick<ListedDocument, 'external_id' | 'filename' | 'access_control'>[];
  readonly buttonClass?: string;
  readonly onDone: () => void;
}

/** Shares documents of persons with everyone in the tenant. They stay documents of these persons. */
export function ShareDialog({ documents, buttonClass, onDone }: ShareDialogProps): JSX.Element | null {
  const { client } = useSession();
  const [first] = documents;
  if (first === undefined) return null;
  const { length: count } = documents;
  const { filename: name } = first;
  const single = name == null ? t('share.this') : t('share.named', { name });
  return (
    <ActionDialog
      label={t('share.dots')}
      title={count === 1 ? single : t('share.some', { count })}
      verb={t('action.share')}
      {...(buttonClass === undefined ? {} : { buttonClass })}
      onDo={(signal, tell) =>
        changeLists(
          client,
          documents.map(({ external_id: id, access_control: lists }) => ({ id, lists: withEveryone(lists) })),
          signal,
          tell,
        )
      }
      onDone={onDone}
      onStopped={onDone}
    >
      <p>
        {count === 1 ? t('share.meansIt') : t('share.meansThem')} {t('share.afterwards')}
      </p>
    </ActionDialog>
  );
}

function withEveryone(lists: ListedDocument['access_control']): AccessLists {
  const { readers = [], writers = [], admins = [] } = lists ?? {};
  return { readers: [...readers, EVERYONE], writers, admins };
}
