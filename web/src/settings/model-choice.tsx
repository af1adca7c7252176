import type { JSX } from 'preact';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { t } from '../language/translate.js';
import { requestOf, type ModelForm } from './presets.js';

interface ModelChoiceProps {
  readonly form: ModelForm;
  readonly onForm: (form: ModelForm) => void;
}

/** Asks the server for its models, and lets the user choose one. */
export function ModelChoice({ form, onForm }: ModelChoiceProps): JSX.Element {
  const { client } = useSession();
  const list = useCall((signal) => {
    const { model, api_base, api_key } = requestOf(form);
    return client.model.list({ model: model === '' ? null : model, api_base, api_key }, { signal });
  });
  const listed = list.running ? null : list.value;
  return (
    <div class="model-choice">
      <button type="button" disabled={list.running} onClick={() => void list.run()}>
        {list.running ? t('settings.listing') : t('settings.list')}
      </button>
      {listed?.ok === true && (
        <select
          aria-label={t('settings.listed')}
          dir="ltr"
          value={listed.models.some(({ model }) => model === form.model) ? form.model : ''}
          onChange={({ currentTarget: { value } }) => {
            const window = listed.models.find(({ model }) => model === value)?.context_window ?? null;
            onForm({ ...form, model: value, contextWindow: window === null ? '' : String(window) });
          }}
        >
          <option value="" disabled>
            {t('settings.choose', { count: listed.models.length })}
          </option>
          {listed.models.map(({ model, name }) => (
            <option key={model} value={model}>
              {name}
            </option>
          ))}
        </select>
      )}
      <div role="status">
        {listed?.ok === false && (
          <p class="notice bad" dir="auto">
            {listed.message}.
          </p>
        )}
      </div>
      <ErrorNotice error={list.error} />
    </div>
  );
}
