import type { JSX } from 'preact';
import type { InstalledModel } from '../api/lectern.js';
import { useCall, useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { Busy, ErrorNotice } from '../design/notices.js';
import { moment } from '../documents/record.js';
import { TestResult } from './test-result.js';

const NONE = 'extractive';

interface ModelInUseProps {
  /** null for people who may not change it. */
  readonly owned: InstalledModel | null;
  /** Number of changes since the page was opened. */
  readonly changes: number;
  readonly onChange: () => void;
}

/** The model that answers, and whether it is well. */
export function ModelInUse({ owned, changes, onChange }: ModelInUseProps): JSX.Element {
  const { client } = useSession();
  const state = useLoaded(
    async (signal) => {
      const [models, health] = await Promise.all([client.models({ signal }), client.health({ signal })]);
      const llm = health.services.find(({ name }) => name === 'llm');
      return { model: models.default_models.chat, status: llm?.status ?? 'unhealthy', message: llm?.message };
    },
    [changes],
  );
  const test = useCall((signal) => client.model.test({}, { signal }));
  const disconnect = useCall((signal) => client.model.disconnect({ signal }));
  const { value } = state;
  return (
    <section class="card model-in-use" aria-label="The model in use">
      <h2>Language model</h2>
      <ErrorNotice error={state.error} onRetry={state.reload} />
      {value === null && state.error === null && <Busy>Looking up the model…</Busy>}
      {value !== null && <ModelSentence {...value} problem={owned?.problem ?? null} />}
      {owned !== null && <ModelFacts model={owned} />}
      {owned?.changeable === true && owned.model !== NONE && (
        <div class="row">
          <button type="button" disabled={test.running} onClick={() => void test.run()}>
            {test.running ? 'Testing…' : 'Test this model'}
          </button>
          {owned.source === 'runtime' && (
            <button
              type="button"
              disabled={disconnect.running}
              onClick={() => {
                void disconnect.run().then((done) => {
                  if (done !== null) onChange();
                });
              }}
            >
              Disconnect
            </button>
          )}
        </div>
      )}
      <TestResult test={test} />
      <ErrorNotice error={disconnect.error} />
    </section>
  );
}

interface ModelSentenceProps {
  readonly model: string;
  readonly status: string;
  readonly message: string | null | undefined;
  readonly problem: string | null;
}

function ModelSentence({ model, status, problem }: ModelSentenceProps): JSX.Element {
  if (problem !== null) return <p class="notice bad">{problem}.</p>;
  if (model === NONE) {
    return (
      <>
        <p class="model-name">No language model: best passages.</p>
        <p class="muted">An answer quotes the best sentences of the documents, word for word.</p>
      </>
    );
  }
  const isWell = status === 'healthy';
  return (
    <>
      <p class="model-name">
        {model}{' '}
        <span class={`badge ${isWell ? 'completed' : 'failed'}`}>{isWell ? 'Ready' : 'Not available'}</span>
      </p>
      <p class="muted">
        {isWell
          ? 'It writes the answers from the passages that a question finds.'
          : 'Its provider does not answer, or refuses the key. Questions fail until it does.'}
      </p>
    </>
  );
}

function ModelFacts({ model }: { readonly model: InstalledModel }): JSX.Element {
  const { api_base: base, has_key: hasKey, key_end: end, source, saved_at: saved } = model;
  const facts: readonly (readonly [string, string])[] = [
    ...(base === null ? [] : ([['Address', base]] as const)),
    ...(base === null ? [] : ([['Key', keyWords(hasKey, end)]] as const)),
    ...(base === null
      ? []
      : ([['Context window', `${model.context_window.toLocaleString()} tokens`]] as const)),
    [
      'Set',
      source === 'runtime' && saved !== null
        ? `on this page, ${moment(saved)}`
        : 'by the environment (LLM_MODEL)',
    ],
  ];
  return (
    <dl class="model-facts">
      {facts.map(([name, words]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  );
}

function keyWords(hasKey: boolean, end: string | null): string {
  if (!hasKey) return 'none';
  return end === null ? 'set' : `set, ends with ${end}`;
}
