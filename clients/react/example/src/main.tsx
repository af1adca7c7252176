import { LecternClient } from '@lectern/client';
import { Answer, Sources, useAnswer } from '@lectern/react';
import { StrictMode, useState, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';

/** Asks the server of this page for a token: it knows who is signed in, and keeps the key. */
async function token(): Promise<string> {
  const response = await fetch('/token', { method: 'POST' });
  if (!response.ok) throw new Error('This page cannot sign in at the moment.');
  const { token: made } = (await response.json()) as { readonly token: string };
  return made;
}

const environment: Readonly<Record<string, string | undefined>> = import.meta.env;
const lectern = new LecternClient({
  url: environment['VITE_LECTERN_URL'] ?? 'http://127.0.0.1:8000',
  token,
});

function App(): ReactElement {
  const [question, setQuestion] = useState('');
  const answer = useAnswer(lectern, { k: 4 });
  return (
    <>
      <h1>Ask the documents</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void answer.ask(question);
        }}
      >
        <label>
          Your question{' '}
          <input
            value={question}
            onChange={(event) => {
              setQuestion(event.target.value);
            }}
            required
          />
        </label>{' '}
        <button type="submit">Ask</button>
      </form>
      <Answer answer={answer} />
      <Sources answer={answer} />
    </>
  );
}

const place = document.getElementById('app');
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
