import { LecternClient } from '@lectern/client';
import { inWords } from '@lectern/client/ui';
import { Answer, SourcePage, Sources, useChat, useDocuments, useFacets, useUpload } from '@lectern/react';
import type { SourcePlace } from '@lectern/react';
import '@lectern/react/styles.css';
import { ErrorResponse, UserManager, type User } from 'oidc-client-ts';
import { useEffect, useState, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';

const environment: Readonly<Record<string, string>> = import.meta.env;
const resource = environment['VITE_OIDC_AUDIENCE'] ?? '';
const users = new UserManager({
  authority: environment['VITE_OIDC_ISSUER'] ?? '',
  client_id: environment['VITE_OIDC_CLIENT'] ?? 'lectern-example',
  resource,
  redirect_uri: `${location.origin}/`,
  post_logout_redirect_uri: `${location.origin}/`,
  scope: 'openid offline_access docs.read docs.ask docs.write',
  automaticSilentRenew: false, // the client asks for another token before one ends
});

async function renewed(): Promise<User | null> {
  try {
    return await users.signinSilent({ resource });
  } catch (error) {
    if (error instanceof ErrorResponse) await users.signinRedirect(); // the sign-in has ended
    throw error;
  }
}

let given: string | undefined; // it ends soon, or was refused, when another one is wanted
const lectern = new LecternClient({
  url: environment['VITE_LECTERN_URL'] ?? 'http://127.0.0.1:8000',
  token: async () => {
    const user = await users.getUser();
    const isUsable = user?.expired === false && user.access_token !== given;
    given = (isUsable ? user : await renewed())?.access_token;
    return given ?? '';
  },
});

function App(): ReactElement {
  const [source, setSource] = useState<SourcePlace | null>(null);
  const { facets, filters, toggle, reload } = useFacets(lectern, { fields: ['department'] });
  const { documents, total, isLive, error, remove } = useDocuments(lectern, { filters });
  const { exchanges, ask } = useChat(lectern, { request: { filters, k: 4 } });
  useEffect(() => void reload(), [reload, total]); // uploads and deletions bring other values
  return (
    <>
      <main>
        <h1>My documents</h1>
        <button onClick={() => void users.signoutRedirect()}>Sign out</button>
        <p role="alert">{!isLive && error !== null && `Offline: ${inWords(error)} Trying again…`}</p>
        <Upload />
        <fieldset>
          <legend>Departments</legend>
          {facets[0]?.values.map(({ value, count, isChosen }) => (
            <label key={String(value)}>
              <input type="checkbox" checked={isChosen} onChange={toggle.bind(null, 'department', value)} />
              {` ${value} (${count}) `}
            </label>
          ))}
        </fieldset>
        <ul aria-label="Documents">
          {documents.map(({ id, filename, status, progress, error: reason }) => (
            <li key={id}>
              {filename} – {progress === null ? status : `${progress.step}, ${progress.percentage} %`}{' '}
              {reason} <button onClick={() => void remove(id)}>Delete {filename}</button>
            </li>
          ))}
        </ul>
        {exchanges.map((exchange) => (
          <article key={exchange.key} aria-label={exchange.question}>
            <h2>{exchange.question}</h2>
            <Answer answer={exchange} onCite={setSource} />
            <Sources answer={exchange} onOpen={setSource} />
          </article>
        ))}
        <form action={(form) => void ask(form.get('question') as string)}>
          <input name="question" aria-label="Your question" placeholder="Your question" required />{' '}
          <button>Ask</button>
        </form>
      </main>
      <aside aria-label="Source">{source !== null && <SourcePage client={lectern} source={source} />}</aside>
    </>
  );
}

function Upload(): ReactElement {
  const { uploads, add, cancel, retry } = useUpload(lectern);
  const send = (form: FormData): void => {
    add(form.getAll('files') as File[], { metadata: { department: form.get('department') } });
  };
  return (
    <>
      <form action={send}>
        <input name="department" aria-label="Department" placeholder="Department" required />{' '}
        <input name="files" aria-label="Files" type="file" multiple required /> <button>Upload</button>
      </form>
      <ul aria-label="Uploads">
        {uploads.map(({ key, name, state, percentage, error }) => (
          <li key={key}>
            {name} – {state} <progress aria-label={name} max={100} value={percentage} />{' '}
            {state === 'failed' && inWords(error)}
            {/failed|cancelled/.test(state) && <button onClick={retry.bind(null, key)}>Send again</button>}
            {/ing$/.test(state) && <button onClick={() => void cancel(key)}>Cancel</button>}
          </li>
        ))}
      </ul>
    </>
  );
}

if (location.search.includes('code=')) {
  await users.signinCallback();
  history.replaceState(null, '', '/');
}
const place = document.getElementById('app');
if ((await users.getUser()) === null) await users.signinRedirect();
else if (place !== null) createRoot(place).render(<App />);
