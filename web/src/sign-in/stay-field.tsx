import type { JSX } from 'preact';
import { t } from '../language/translate.js';

interface StayFieldProps {
  readonly stay: boolean;
  readonly onStay: (stay: boolean) => void;
}

/** Whether the browser stays signed in when it is closed. */
export function StayField({ stay, onStay }: StayFieldProps): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={stay}
        onChange={(event) => {
          onStay(event.currentTarget.checked);
        }}
      />
      {t('signIn.stay')}
    </label>
  );
}
