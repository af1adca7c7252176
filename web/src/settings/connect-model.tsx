import { useRef, useState } from 'preact/hooks';
import type { JSX, TargetedEvent } from 'preact';
import type { InstalledModel, ModelTest } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { CopyButton } from '../design/copy-button.js';
import { ErrorNotice } from '../design/notices.js';
import {
  environmentLines,
  formOf,
  nameOf,
  PRESETS,
  requestOf,
  type ModelForm,
  type Preset,
} from './presets.js';
import { ModelChoice } from './model-choice.js';
import { TestResult } from './test-result.js';
import { t } from '../language/translate.js';

interface ConnectModelProps {
  readonly inUse: InstalledModel;
  readonly onConnected: () => void;
}

/** Connects a model without a restart, or shows the lines for `.env`. */
export function ConnectModel({ inUse, onConnected }: ConnectModelProps): JSX.Element {
  const [preset, setPreset] = useState<Preset>(PRESETS[0] as Preset);
  const [form, setForm] = useState<ModelForm>(formOf(preset));
  return (
    <section class="card connect-model" aria-label={t('settings.connect')}>
      <h2>{t('settings.connect')}</h2>
      <fieldset class="presets">
        <legend class="visually-hidden">{t('settings.server')}</legend>
        {PRESETS.map((one) => (
          <label key={one.name} class="preset">
            <input
              type="radio"
              name="preset"
              checked={one === preset}
              onChange={() => {
                setPreset(one);
                setForm(formOf(one));
              }}
            />
            <span>{nameOf(one)}</span>
          </label>
        ))}
      </fieldset>
      {inUse.changeable ? (
        <ModelFields
          key={preset.name}
          preset={preset}
          form={form}
          onForm={setForm}
          inUse={inUse}
          onConnected={onConnected}
        />
      ) : (
        <p class="notice hint">{t('settings.environmentOnly')}</p>
      )}
      <EnvironmentLines text={environmentLines(form, preset)} open={!inUse.changeable} />
    </section>
  );
}

interface ModelFieldsProps extends ConnectModelProps {
  readonly preset: Preset;
  readonly form: ModelForm;
  readonly onForm: (form: ModelForm) => void;
}

function ModelFields({ preset, form, onForm, inUse, onConnected }: ModelFieldsProps): JSX.Element {
  const { client } = useSession();
  const test = useCall((signal) => client.model.test(requestOf(form), { signal }));
  const connect = useCall((signal) => client.model.connect(requestOf(form), { signal }));
  // The form to which the result of a test belongs. A change of a field hides the result.
  const [told, setTold] = useState<{ readonly form: ModelForm; readonly connects: boolean } | null>(null);
  const isCurrent = told?.form === form;
  const windowField = useRef<HTMLInputElement>(null);
  const lacksWindow =
    isCurrent && !test.running && test.value?.ok === true && test.value.context_window === null;
  const keepsKey = inUse.has_key && inUse.api_base === form.apiBase.trim().replace(/\/+$/, '');
  const field = (name: keyof ModelForm) => ({
    value: form[name],
    autocomplete: 'off' as const,
    spellcheck: false,
    onInput: (event: TargetedEvent<HTMLInputElement>) => {
      onForm({ ...form, [name]: event.currentTarget.value });
    },
  });
  const runTest = (connects: boolean): Promise<ModelTest | null> => {
    setTold({ form, connects });
    return test.run();
  };
  /**
   * Tests the model, and connects it only if it answers. A model that does not answer is not connected: every question
   * would fail. Nor is a model whose context window nobody knows: it would be used with a small one.
   */
  const connectTested = async (): Promise<void> => {
    const result = await runTest(true);
    if (result?.ok !== true) return;
    if (result.context_window === null) {
      windowField.current?.focus();
      return;
    }
    const installed = await connect.run();
    if (installed === null) return;
    const connected = { ...form, model: installed.model, apiKey: '' };
    onForm(connected);
    setTold({ form: connected, connects: true });
    onConnected();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void connectTested();
      }}
    >
      <div class="model-fields">
        <label>
          {t('settings.model')}
          <input required dir="ltr" maxLength={200} {...field('model')} />
        </label>
        <label>
          {t('settings.address')}
          <input type="url" dir="ltr" maxLength={2_000} {...field('apiBase')} />
        </label>
        {preset.key !== 'none' && (
          <label>
            {t('signIn.key')}
            <input
              {...field('apiKey')}
              type="password"
              autocomplete="new-password"
              required={preset.key === 'required' && !keepsKey}
              placeholder={
                keepsKey ? t('settings.unchanged') : preset.key === 'optional' ? t('settings.noKey') : 'sk-…'
              }
            />
          </label>
        )}
        <label>
          {t('settings.window')}
          <input
            ref={windowField}
            type="number"
            min={512}
            aria-describedby={lacksWindow ? 'window-unknown' : undefined}
            placeholder={t('settings.windowKnown')}
            {...field('contextWindow')}
          />
        </label>
      </div>
      {lacksWindow && (
        <p class="notice hint" id="window-unknown" role="status">
          {t('settings.windowUnknown')}
        </p>
      )}
      <ModelChoice key={form.apiBase} form={form} onForm={onForm} />
      <p class="small muted">{t(preset.hint)}</p>
      <div class="row">
        <button type="button" disabled={test.running} onClick={() => void runTest(false)}>
          {test.running ? t('settings.testing') : t('settings.test')}
        </button>
        <button type="submit" class="primary" disabled={test.running || connect.running}>
          {t('settings.connectAction')}
        </button>
      </div>
      {(isCurrent || test.running) && <TestResult test={test} />}
      {isCurrent && told.connects && (lacksWindow || test.value?.ok === false) && !test.running && (
        <p class="small muted">{t('settings.notConnected')}</p>
      )}
      {isCurrent && <ErrorNotice error={connect.error} />}
      {isCurrent &&
        test.value?.ok === true &&
        told.connects &&
        connect.value !== null &&
        connect.error === null && (
          <p class="notice good" role="status">
            {t('settings.connected', { model: connect.value.model })}
          </p>
        )}
    </form>
  );
}

function EnvironmentLines({ text, open }: { readonly text: string; readonly open: boolean }): JSX.Element {
  return (
    <details open={open}>
      <summary>{t('settings.asLines')}</summary>
      <div class="env-lines">
        <pre tabIndex={0} role="region" aria-label={t('settings.lines')} dir="ltr">
          {text}
        </pre>
        <CopyButton text={text} label={t('settings.copyLines')} />
      </div>
    </details>
  );
}
