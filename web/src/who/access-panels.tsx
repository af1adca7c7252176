import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { DocumentRecord, Folder } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { Busy, ErrorNotice } from '../design/notices.js';
import { t } from '../language/translate.js';
import { userPrincipal } from '../names/principal.js';
import { membersOf, subjectOfFolder, type Subject } from './lists.js';
import { PrivateInside } from './private-inside.js';
import { Members, useWhoInWords } from './who-can-see.js';

/** Who can see a document: in a few words and, opened, each with a name. */
export function DocumentAccess({
  document,
  onChange,
}: {
  readonly document: DocumentRecord;
  readonly onChange: () => void;
}): JSX.Element {
  const { client } = useSession();
  const { external_id: id, end_user_id: owner, folder_path: folder } = document;
  const subject: Subject = { owner, lists: document.access_control, source: document.access_source };
  const words = useWhoInWords(subject);
  return (
    <details class="who card">
      <summary>
        <span class="who-title">{t('who.document')}</span> <bdi class="muted">{words}</bdi>
      </summary>
      <Members
        subject={subject}
        folder={folder}
        isManager={document.your_access === 'manage'}
        onSave={(lists, signal) => client.changeAccess(id, lists, { signal })}
        onSaved={onChange}
      />
    </details>
  );
}

/** Who can see what lies in a folder. It is loaded when it is opened. */
export function FolderAccess({
  folder,
  onChange,
}: {
  readonly folder: string;
  readonly onChange: () => void;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="who folder-who"
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>
        <span class="who-title">{t('who.folder')}</span>
      </summary>
      {isOpen && <FolderMembers folder={folder} onChange={onChange} />}
    </details>
  );
}

function FolderMembers({
  folder,
  onChange,
}: {
  readonly folder: string;
  readonly onChange: () => void;
}): JSX.Element {
  const { client, holder } = useSession();
  const loaded = useLoaded<Folder>((signal) => client.folders.get(folder, { signal }), [folder]);
  const { value, error, reload } = loaded;
  if (value === null) {
    return error === null ? (
      <Busy>{t('action.loading')}</Busy>
    ) : (
      <ErrorNotice error={error} onRetry={reload} />
    );
  }
  const subject = subjectOfFolder(value);
  const { person } = holder;
  const isShared = membersOf(subject).some(({ principal }) => principal !== userPrincipal(person ?? ''));
  return (
    <>
      <p class="small muted">{t('who.folderHint')}</p>
      {person !== null &&
        value.end_user_id === person &&
        value.your_access !== 'manage' &&
        holder.can('write') && <p class="notice hint small">{t('who.nameShared')}</p>}
      <Members
        subject={subject}
        folder={folder.slice(0, folder.lastIndexOf('/')) || null}
        isManager={value.your_access === 'manage'}
        onSave={(changed, signal) => client.folders.changeAccess(folder, changed, { signal })}
        onSaved={() => {
          reload();
          onChange();
        }}
      />
      {person !== null && isShared && (
        <PrivateInside
          key={JSON.stringify(subject.lists)}
          folder={folder}
          person={person}
          onShared={onChange}
        />
      )}
    </>
  );
}
