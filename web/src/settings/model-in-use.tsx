import type { JSX } from 'preact';
import type { InstalledModel } from '../api/lectern.js';
import { useCall, useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { Busy, ErrorNotice } from '../design/notices.js';
import { moment } from '../documents/record.js';
import { TestResult } from './test-result.js';
import { t } from '../language/translate.js';

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
    <section class="card model-in-use" aria-label={t('settings.inUse')}>
      <h2>{t('settings.languageModel')}</h2>
      <ErrorNotice error={state.error} onRetry={state.reload} />
      {value === null && state.error === null && <Busy>{t('settings.loadingModel')}</Busy>}
      {value !== null && (
        <ModelSentence model={value.model} status={value.status} problem={owned?.problem ?? null} />
      )}
      {typeof value?.advice === 'string' && (
        <p class="notice hint" dir="auto">
          {value.advice}.
        </p>
      )}
      {owned !== null && <ModelFacts model={owned} />}
      {owned?.changeable === true && owned.model !== NONE && (
        <div class="row">
          <button type="button" disabled={test.running} onClick={() => void test.run()}>
            {test.running ? t('settings.testing') : t('settings.testThis')}
          </button>
          {owned.source === 'runtime' && (
            <ActionDialog
              label={t('settings.disconnectDots')}
              title={t('settings.disconnectSure')}
              verb={t('settings.disconnect')}
              isDangerous
              onDo={(signal) => client.model.disconnect({ signal })}
              onDone={onChange}
            >
              <p>{t('settings.disconnectHint')}</p>
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
  if (problem !== null)
    return (
      <p class="notice bad" dir="auto">
        {problem}.
      </p>
    );
  if (model === NONE) {
    return (
      <>
        <p class="model-name">{t('settings.noModel')}</p>
        <p class="muted">{t('settings.noModelHint')}</p>
      </>
    );
  }
  const isWell = status === 'healthy';
  return (
    <>
      <p class="model-name">
        <bdi>{model}</bdi>{' '}
        <span class={`badge ${isWell ? 'completed' : 'failed'}`}>
          {isWell ? t('settings.ready') : t('settings.notAvailable')}
        </span>
      </p>
      <p class="muted">{isWell ? t('settings.writes') : t('settings.silent')}</p>
    </>
  );
}

function ModelFacts({ model }: { readonly model: InstalledModel }): JSX.Element | null {
  const { model: name, api_base: base, has_key: hasKey, key_end: end, source, saved_at: saved } = model;
  const facts: readonly (readonly [string, string])[] = [
    ...(base === null
      ? []
      : ([
          [t('settings.address'), base],
          [t('settings.key'), keyWords(hasKey, end)],
          [t('settings.window'), t('settings.tokens', { count: model.context_window })],
        ] as const)),
    ...(source === 'runtime' && saved !== null
      ? ([[t('settings.setBy'), t('settings.setHere', { time: moment(saved) })]] as const)
      : name === NONE
        ? [] // nothing was set: this is the default of LLM_MODEL
        : ([[t('settings.setBy'), t('settings.setByEnvironment')]] as const)),
  ];
  if (facts.length === 0) return null;
  return (
    <dl class="model-facts">
      {facts.map(([fact, words]) => (
        <div key={fact}>
          <dt>{fact}</dt>
          <dd dir="auto">{words}</dd>
        </div>
      ))}
    </dl>
  );
}

function keyWords(hasKey: boolean, end: string | null): string {
  if (!hasKey) return t('settings.noKey');
  return end === null ? t('settings.keySet') : t('settings.keyEnds', { end });
}
