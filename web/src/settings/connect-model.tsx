import { useState } from 'preact/hooks';
import type { JSX, TargetedEvent } from 'preact';
import type { InstalledModel, ModelTest } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { CopyButton } from '../design/copy-button.js';
import { ErrorNotice } from '../design/notices.js';
import { environmentLines, formOf, PRESETS, requestOf, type ModelForm, type Preset } from './presets.js';
import { TestResult } from './test-result.js';

interface ConnectModelProps {
  readonly inUse: InstalledModel;
  readonly onConnected: () => void;
}

/** Connects a model without a restart, or shows the lines for `.env`. */
export function ConnectModel({ inUse, onConnected }: ConnectModelProps): JSX.Element {
  const [preset, setPreset] = useState<Preset>(PRESETS[0] as Preset);
  const [form, setForm] = useState<ModelForm>(formOf(preset));
  return (
    <section class="card connect-model" aria-label="Connect a model">
      <h2>Connect a model</h2>
      <fieldset class="presets">
        <legend class="visually-hidden">Server</legend>
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
            <span>{one.name}</span>
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
        <p class="notice hint">
          On this installation only the environment sets the model (RUNTIME_SETTINGS=false). Add these lines
          to it and restart the service.
        </p>
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
   * would fail.
   */
  const connectTested = async (): Promise<void> => {
    if ((await runTest(true))?.ok !== true || (await connect.run()) === null) return;
    const connected = { ...form, apiKey: '' };
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
          Model
          <input required maxLength={200} {...field('model')} />
        </label>
        <label>
          Address
          <input type="url" maxLength={2_000} {...field('apiBase')} />
        </label>
        {preset.key !== 'none' && (
          <label>
            API key
            <input
              {...field('apiKey')}
              type="password"
              autocomplete="new-password"
              required={preset.key === 'required' && !keepsKey}
              placeholder={keepsKey ? 'unchanged' : preset.key === 'optional' ? 'none' : 'sk-…'}
            />
          </label>
        )}
        <label>
          Context window
          <input type="number" min={512} placeholder="known for common models" {...field('contextWindow')} />
        </label>
      </div>
      <p class="small muted">{preset.hint}</p>
      <div class="row">
        <button type="button" disabled={test.running} onClick={() => void runTest(false)}>
          {test.running ? 'Testing…' : 'Test'}
        </button>
        <button type="submit" class="primary" disabled={test.running || connect.running}>
          Connect
        </button>
      </div>
      {(isCurrent || test.running) && <TestResult test={test} />}
      {isCurrent && told.connects && test.value?.ok === false && !test.running && (
        <p class="small muted">It was not connected.</p>
      )}
      {isCurrent && <ErrorNotice error={connect.error} />}
      {isCurrent &&
        test.value?.ok === true &&
        told.connects &&
        connect.value !== null &&
        connect.error === null && (
          <p class="notice good" role="status">
            Connected. The next question is answered by {connect.value.model}; no restart is needed.
          </p>
        )}
    </form>
  );
}

function EnvironmentLines({ text, open }: { readonly text: string; readonly open: boolean }): JSX.Element {
  return (
    <details open={open}>
      <summary>As lines of .env</summary>
      <div class="env-lines">
        <pre tabIndex={0} role="region" aria-label="Lines of .env">
          {text}
        </pre>
        <CopyButton text={text} label="Copy the lines" />
      </div>
    </details>
  );
}
