import type { JSX } from 'preact';
import type { ModelTest } from '../api/lectern.js';
import type { Call } from '../app/calls.js';
import { ErrorNotice } from '../design/notices.js';
import { t } from '../language/translate.js';

/** The result of the test of a model, in words. */
export function TestResult({
  test,
}: {
  readonly test: Pick<Call<never, ModelTest>, 'running' | 'value' | 'error'>;
}): JSX.Element {
  const result = test.running ? null : test.value;
  return (
    <>
      <div role="status">
        {test.running && <p class="muted">{t('settings.waiting')}</p>}
        {result !== null && (
          <p class={`notice ${result.ok ? 'good' : 'bad'}`} dir="auto">
            {result.message}.
          </p>
        )}
      </div>
      <ErrorNotice error={test.error} />
    </>
  );
}
