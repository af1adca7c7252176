import type { JSX } from 'preact';
import type { InstalledModel } from '../api/lectern.js';
import { useCall, useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { Busy, ErrorNotice } from '../design/notices.js';
import { moment } from '../documents/record.js';
import { TestResult } from './test-result.js';

const NONE = 'extractive';

interface ModelInUseProps {
  /** Settings of the model; null for keys that may not change them. */
  readonly owned: InstalledModel | null;
  /** Number of changes since the page was opened. */
  readonly changes: number;
  readonly onChange: () => void;
}

/** The model that answers, and whether it works. */
export function ModelInUse({ owned, changes, onChange }: ModelInUseProps): JSX.Element {
  const { client } = useSession();
  const state = useLoaded(
    async (signal) => {
      const [models, health] = await Promise.all([client.models({ signal }), client.health({ signal })]);
      const llm = health.services.find(({ name }) => name === 'llm');
      const languages = health.services.find(
        ({ name, status }) => name === 'languages' && status !== 'healthy',
      );
      return {
        model: models.default_models.chat,
        status: llm?.status ?? 'unhealthy',
        advice: languages?.message ?? null,
      };
    },
    [changes],
  );
  const test = useCall((signal) => client.model.test({}, { signal }));
  const { value } = state;
  return (
    <section class="card model-in-use" aria-label="The model in use">
      <h2>Language model</h2>
      <ErrorNotice error={state.error} onRetry={state.reload} />
      {value === null && state.error === null && <Busy>Loading the model…</Busy>}
      {value !== null && (
        <ModelSentence model={value.model} status={value.status} problem={owned?.problem ?? null} />
      )}
      {typeof value?.advice === 'string' && <p class="notice hint">{value.advice}.</p>}
      {owned !== null && <ModelFacts model={owned} />}
      {owned?.changeable === true && owned.model !== NONE && (
        <div class="row">
          <button type="button" disabled={test.running} onClick={() => void test.run()}>
            {test.running ? 'Testing…' : 'Test this model'}
          </button>
          {owned.source === 'runtime' && (
            <ActionDialog
              label="Disconnect…"
              title="Disconnect the model?"
              verb="Disconnect"
              isDangerous
              onDo={(signal) => client.model.disconnect({ signal })}
              onDone={onChange}
            >
              <p>
                Its address and key are deleted. Answers then come from the model of the environment
                (LLM_MODEL) or, without one, quote the best passages.
              </p>
            </ActionDialog>
          )}
        </div>
      )}
      <TestResult test={test} />
    </section>
  );
}

interface ModelSentenceProps {
  readonly model: string;
  readonly status: string;
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
          ? 'It writes the answers from the passages found for a question.'
          : 'Its provider does not answer, or refuses the key. Questions fail until it does.'}
      </p>
    </>
  );
}

function ModelFacts({ model }: { readonly model: InstalledModel }): JSX.Element | null {
  const { model: name, api_base: base, has_key: hasKey, key_end: end, source, saved_at: saved } = model;
  const facts: readonly (readonly [string, string])[] = [
    ...(base === null ? [] : ([['Address', base]] as const)),
    ...(base === null ? [] : ([['Key', keyWords(hasKey, end)]] as const)),
    ...(base === null
      ? []
      : ([['Context window', `${model.context_window.toLocaleString()} tokens`]] as const)),
    ...(source === 'runtime' && saved !== null
      ? ([['Set', `on this page, ${moment(saved)}`]] as const)
      : name === NONE
        ? [] // nothing was set: this is the default of LLM_MODEL
        : ([['Set', 'by the environment (LLM_MODEL)']] as const)),
  ];
  if (facts.length === 0) return null;
  return (
    <dl class="model-facts">
      {facts.map(([fact, words]) => (
        <div key={fact}>
          <dt>{fact}</dt>
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
