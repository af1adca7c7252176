import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Key } from '../api/lectern.js';
import { AdminOnly } from '../app/admin-only.js';
import { useCall, useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { Busy, EmptyState, ErrorNotice } from '../design/notices.js';
import { t } from '../language/translate.js';
import { RequestCode } from '../requests/request-code.js';
import { AddPerson } from './add-person.js';
import { Applications } from './applications.js';
import { inOrder, keyRequests, worksAt } from './describe.js';
import { Groups } from './groups.js';
import { HandedOver, invitation, type Handover } from './handed-over.js';
import { InviteMany } from './invite-many.js';
import { EVERYBODY, PeopleFilter, type Shown } from './people-filter.js';
import { PersonRow } from './person-row.js';

/** People in a page. */
const PAGE = 50;

/** For administrators: who has access, and what each of them does. */
export function People(): JSX.Element {
  return (
    <AdminOnly heading={t('view.people')} refusal={t('app.onlyPeople')}>
      <PeopleList />
    </AdminOnly>
  );
}

function PeopleList(): JSX.Element {
  const { client } = useSession();
  const [handover, setHandover] = useState<Handover | null>(null);
  const [shown, setShown] = useState<Shown>(EVERYBODY);
  const [limit, setLimit] = useState(PAGE);
  const keys = useLoaded((signal) => client.keys.list({ signal }), []);
  const groups = useLoaded((signal) => client.people.groups({ signal }).then(inOrder), []);
  const people = useLoaded(
    (signal) => client.people.list({ ...queryOf(shown), limit, signal }),
    [JSON.stringify(shown), limit],
  );
  useEffect(() => {
    setLimit(PAGE);
  }, [JSON.stringify(shown)]);
  const own = (groups.value ?? []).filter(({ provided }) => !provided);
  const link = useCall((signal, key: Key) => invitation(client, key, signal));
  const working = (keys.value ?? []).filter((key) => worksAt(key, Date.now()));
  const active = new Set(working.flatMap(({ end_user_id: person }) => person ?? []));
  const known = new Set((keys.value ?? []).flatMap(({ end_user_id: person }) => person ?? []));
  const reload = (): void => {
    keys.reload();
    groups.reload();
    people.reload();
  };
  const found = people.value?.people ?? [];
  const total = people.value?.total ?? 0;
  const countsDocuments = found.some(({ documents }) => documents !== null);
  return (
    <>
      <h1>{t('view.people')}</h1>
      <p class="muted lead">{t('people.lead')}</p>
      <AddPerson
        people={known}
        onAdded={(added) => {
          setHandover(added);
          reload();
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
      <div class="row people-bar">
        <PeopleFilter shown={shown} groups={groups.value ?? []} onShow={setShown} />
        <InviteMany people={known} active={active} groups={own} onInvited={reload} />
      </div>
      <section aria-label={t('people.list')} class="card flush">
        <ErrorNotice error={people.error ?? keys.error ?? groups.error} onRetry={reload} />
        {people.value === null && people.error === null && <Busy>{t('people.loading')}</Busy>}
        {people.value !== null && total === 0 && (
          <EmptyState title={shown === EVERYBODY ? t('people.none') : t('people.noMatch')}>
            {shown === EVERYBODY ? t('people.noneHint') : t('people.noMatchHint')}
          </EmptyState>
        )}
        {found.length > 0 && (
          <table class="documents people" aria-busy={people.running}>
            <thead>
              <tr>
                <th scope="col">{t('documents.name')}</th>
                <th scope="col" class="number">
                  {t('people.questions')}
                </th>
                {countsDocuments && (
                  <th scope="col" class="number wide-only">
                    {t('view.documents')}
                  </th>
                )}
                <th scope="col" class="wide-only">
                  {t('people.lastUsed')}
                </th>
                <th scope="col">
                  <span class="visually-hidden">{t('table.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {found.map((person) => {
                const key = working.find(({ end_user_id: id }) => id === person.id);
                return (
                  <PersonRow
                    key={person.id}
                    person={person}
                    countsDocuments={countsDocuments}
                    groups={own}
                    onLink={
                      key === undefined || person.signs_in_elsewhere
                        ? null
                        : () => {
                            void link.run(key).then((made) => {
                              if (made !== null) setHandover(made);
                            });
                          }
                    }
                    onChanged={reload}
                  />
                );
              })}
            </tbody>
          </table>
        )}
        {found.length < total && (
          <p class="row people-more">
            <span class="muted">{t('people.shownOf', { shown: found.length, total })}</span>
            <button
              type="button"
              class="small-button"
              disabled={people.running}
              onClick={() => {
                setLimit(limit + PAGE);
              }}
            >
              {t('action.showMore')}
            </button>
          </p>
        )}
      </section>
      <Groups groups={groups.value ?? []} onChanged={reload} />
      <Applications keys={working.filter(({ end_user_id: person }) => person === null)} onEnded={reload} />
      <RequestCode title={t('people.keys')} requests={keyRequests()} />
    </>
  );
}

function queryOf({ text, scope, group, state, sort }: Shown) {
  return {
    ...(text.trim() === '' ? {} : { q: text.trim() }),
    ...(scope === '' ? {} : { scope }),
    ...(group === '' ? {} : { group }),
    state,
    sort,
  };
}
