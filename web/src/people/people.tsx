import { useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Key, KeyUsage } from '../api/lectern.js';
import { AdminOnly } from '../app/admin-only.js';
import { useCall, useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { moment, when } from '../documents/record.js';
import { Busy, EmptyState, ErrorNotice } from '../design/notices.js';
import { RequestCode } from '../requests/request-code.js';
import { AddPerson } from './add-person.js';
import { accessOf, keyRequests, worksAt } from './describe.js';
import { HandedOver, invitation, type Handover } from './handed-over.js';

/** For administrators: who has access, and the usage of each key. */
export function People(): JSX.Element {
  return (
    <AdminOnly heading="People" subject="the people">
      <PeopleList />
    </AdminOnly>
  );
}

function PeopleList(): JSX.Element {
  const { client } = useSession();
  const [handover, setHandover] = useState<Handover | null>(null);
  const keys = useLoaded((signal) => client.keys.list({ signal }), []);
  const usage = useLoaded((signal) => client.keys.usage({ signal }), []);
  const link = useCall((signal, key: Key) => invitation(client, key, signal));
  const working = (keys.value ?? []).filter((key) => worksAt(key, Date.now()));
  const people = new Set((keys.value ?? []).flatMap(({ end_user_id: person }) => person ?? []));
  const administrators = working.filter(({ scopes }) => scopes.includes('admin'));
  const used = new Map((usage.value ?? []).map((one) => [one.key_id, one]));
  return (
    <>
      <h1>People</h1>
      <p class="muted lead">
        Each person has their own chats and documents, and can read shared documents. People can share the
        documents that they add; only administrators can change shared documents. An invitation is a link that
        works once.
      </p>
      <AddPerson
        people={people}
        onAdded={(added) => {
          setHandover(added);
          keys.reload();
        }}
      />
      <ErrorNotice error={link.error} />
      {handover !== null && (
        <HandedOver
          handover={handover}
          onClose={() => {
            setHandover(null);
          }}
        />
      )}
      <section aria-label="People and keys" class="card flush">
        <ErrorNotice
          error={keys.error ?? usage.error}
          onRetry={() => {
            keys.reload();
            usage.reload();
          }}
        />
        {keys.value === null && keys.error === null && <Busy>Loading people…</Busy>}
        {keys.value !== null && working.length === 0 && (
          <EmptyState title="Nobody yet">Invite a colleague with the form above.</EmptyState>
        )}
        {working.length > 0 && (
          <table class="documents people">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col" class="number">
                  Questions this week
                </th>
                <th scope="col" class="wide-only">
                  Last used
                </th>
                <th scope="col" class="wide-only">
                  Since
                </th>
                <th scope="col">
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {working.map((key) => (
                <KeyRow
                  key={key.id}
                  entry={key}
                  usage={used.get(key.id)}
                  isLastAdministrator={administrators.length === 1 && administrators[0] === key}
                  onLink={() => {
                    void link.run(key).then((made) => {
                      if (made !== null) setHandover(made);
                    });
                  }}
                  onEnded={keys.reload}
                />
              ))}
            </tbody>
          </table>
        )}
      </section>
      <RequestCode title="Keys" requests={keyRequests()} />
    </>
  );
}

interface KeyRowProps {
  readonly entry: Key;
  readonly usage: KeyUsage | undefined;
  readonly isLastAdministrator: boolean;
  readonly onLink: () => void;
  readonly onEnded: () => void;
}

function KeyRow({ entry, usage, isLastAdministrator, onLink, onEnded }: KeyRowProps): JSX.Element {
  const { client, holder } = useSession();
  const { id, name, end_user_id: person, created_at: since } = entry;
  const ending = useRef<HTMLDialogElement>(null);
  const end = useCall((signal) => client.keys.revoke(id, { signal }));
  const title = `end-${id}`;
  return (
    <tr>
      <td class="name">
        {name}
        <span class="small muted person-id">{`${person ?? 'application'} · ${accessOf(entry)}`}</span>
      </td>
      <td class="number muted">{usage?.questions ?? 0}</td>
      <td class="muted wide-only">{usage === undefined ? 'not this week' : moment(usage.last_used_at)}</td>
      <td class="muted wide-only">{when(since)}</td>
      <td>
        <span class="row end">
          {person !== null && !entry.signs_in_elsewhere && (
            <button type="button" class="small-button" aria-label={`New link for ${name}`} onClick={onLink}>
              New link
            </button>
          )}
          <button
            type="button"
            class="small-button"
            aria-label={`End access of ${name}`}
            onClick={() => ending.current?.showModal()}
          >
            End access
          </button>
        </span>
        <dialog ref={ending} aria-labelledby={title}>
          <h2 id={title}>End the access of {name}?</h2>
          <p>The key stops working within a second. Chats and documents stay.</p>
          {id === holder.keyId && <p class="notice bad">This is your own key: you will be signed out.</p>}
          {isLastAdministrator && (
            <p class="notice bad">
              This is the last administrator key. Afterwards a new one can be created only on the server, with{' '}
              <code>lectern keys create</code>.
            </p>
          )}
          <ErrorNotice error={end.error} />
          <div class="row end">
            <button type="button" onClick={() => ending.current?.close()}>
              Cancel
            </button>
            <button
              type="button"
              class="danger"
              disabled={end.running}
              onClick={() => {
                void end.run().then((done) => {
                  if (done === null) return;
                  ending.current?.close();
                  onEnded();
                });
              }}
            >
              End access
            </button>
          </div>
        </dialog>
      </td>
    </tr>
  );
}
