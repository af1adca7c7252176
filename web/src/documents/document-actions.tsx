import { useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { DocumentRecord } from '../api/lectern.js';
import { useCall, useLoaded } from '../app/calls.js';
import { goTo, hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { AskDocument } from './ask-document.js';
import { ErrorNotice } from '../design/notices.js';
import { MoveDialog } from './move-dialog.js';
import { mayChange } from './ownership.js';
import { stateOf } from './record.js';
import { t } from '../language/translate.js';

interface DocumentActionsProps {
  readonly document: DocumentRecord;
  readonly onChange: () => void;
}

/** The actions on a document. If the key may not change the document, the only action is the download. */
export function DocumentActions({ document, onChange }: DocumentActionsProps): JSX.Element {
  const { client, holder } = useSession();
  const { external_id: id } = document;
  const download = useCall(async (signal) => {
    const { download_url: url } = await client.downloadUrl(id, { signal });
    const { pathname, search } = new URL(url); // the service may not know its public address
    const link = globalThis.document.createElement('a');
    link.href = pathname + search;
    link.download = document.filename ?? '';
    link.click();
  });
  return (
    <div class="document-actions">
      <div class="row">
        {holder.can('query') && stateOf(document) === 'completed' && <AskDocument id={id} />}
        <button type="button" disabled={download.running} onClick={() => void download.run()}>
          {t('action.download')}
        </button>
        {mayChange(holder, document) && <Changes document={document} onChange={onChange} />}
        {holder.can('write') && !mayChange(holder, document) && (
          <span class="small muted">
            {t(document.end_user_id === null ? 'owner.shared' : 'owner.readOnly')}
          </span>
        )}
      </div>
      <ErrorNotice error={download.error} />
    </div>
  );
}

function Changes({ document, onChange }: DocumentActionsProps): JSX.Element {
  const { client } = useSession();
  const { external_id: id, filename, folder_path: folder } = document;
  const folders = useLoaded((signal) => client.folders.counts({ signal }), []);
  const again = useCall((signal) => client.requeue([id], { signal }));
  return (
    <>
      {stateOf(document) === 'failed' && (
        <button
          type="button"
          disabled={again.running}
          onClick={() => {
            void again.run().then(onChange);
          }}
        >
          {t('action.retry')}
        </button>
      )}
      <Renaming document={document} onChange={onChange} />
      <MoveDialog
        documents={[document]}
        folders={(folders.value ?? []).map(({ full_path: path }) => path)}
        onDone={onChange}
      />
      <Replacing document={document} onChange={onChange} />
      {document.your_access === 'manage' && (
        <ActionDialog
          label={t('action.deleteDots')}
          title={
            filename == null ? t('documents.deleteThis') : t('documents.deleteNamed', { name: filename })
          }
          verb={t('action.delete')}
          isDangerous
          onDo={(signal) => client.delete(id, { signal })}
          onDone={() => {
            goTo(hrefOf('documents', null, { folder }));
          }}
        >
          <p>{t('documents.deleteSure')}</p>
        </ActionDialog>
      )}
      <ErrorNotice error={again.error} />
    </>
  );
}

function Renaming({ document, onChange }: DocumentActionsProps): JSX.Element {
  const { client } = useSession();
  const [name, setName] = useState('');
  return (
    <ActionDialog
      label={t('action.renameDots')}
      title={t('documents.rename')}
      verb={t('action.rename')}
      isReady={name.trim() !== ''}
      onOpen={() => {
        setName(document.filename ?? '');
      }}
      onDo={(signal) => client.rename(document.external_id, name.trim(), { signal })}
      onDone={onChange}
    >
      <label>
        {t('documents.name')}
        <input
          required
          dir="auto"
          autocomplete="off"
          spellcheck={false}
          value={name}
          onInput={(event) => {
            setName(event.currentTarget.value);
          }}
        />
      </label>
    </ActionDialog>
  );
}

function Replacing({ document, onChange }: DocumentActionsProps): JSX.Element {
  const { client } = useSession();
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File | null>(null);
  const { filename } = document;
  return (
    <ActionDialog
      label={t('action.replaceDots')}
      title={filename == null ? t('documents.replaceThis') : t('documents.replaceNamed', { name: filename })}
      verb={t('action.replace')}
      isReady={file !== null}
      onOpen={() => {
        setFile(null);
        if (input.current !== null) input.current.value = '';
      }}
      onDo={async (signal) => {
        if (file === null) return;
        await client.updateFile(document.external_id, file, { update_strategy: 'replace', signal });
      }}
      onDone={onChange}
    >
      <p>{t('documents.replaceHint')}</p>
      <label>
        {t('documents.newFile')}
        <input
          ref={input}
          type="file"
          onChange={(event) => {
            setFile(event.currentTarget.files?.[0] ?? null);
          }}
        />
      </label>
    </ActionDialog>
  );
}
