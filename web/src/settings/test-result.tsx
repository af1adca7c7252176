import type { JSX } from 'preact';
import type { ModelTest } from '../api/lectern.js';
import type { Call } from '../app/calls.js';
import { ErrorNotice } from '../design/notices.js';

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
        {test.running && <p class="muted">Waiting for the first word. A local model may take a minute.</p>}
        {result !== null && <p class={`notice ${result.ok ? 'good' : 'bad'}`}>{result.message}.</p>}
      </div>
      <ErrorNotice error={test.error} />
    </>
  );
}
