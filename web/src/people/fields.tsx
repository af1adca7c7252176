import type { JSX } from 'preact';
import { t } from '../language/translate.js';
import { ACCESS } from './describe.js';

interface NameFieldProps {
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly example?: string;
}

/** The name of a person, an application or a group. */
export function NameField({ name, onName, example }: NameFieldProps): JSX.Element {
  return (
    <label>
      {t('documents.name')}
      <input
        required
        dir="auto"
        maxLength={200}
        autocomplete="off"
        placeholder={example}
        value={name}
        onInput={(event) => {
          onName(event.currentTarget.value);
        }}
      />
    </label>
  );
}

/** The name of a group. @param isTaken whether another group has it */
export function GroupNameField({
  isTaken,
  ...field
}: NameFieldProps & { readonly isTaken: boolean }): JSX.Element {
  return (
    <>
      <NameField {...field} />
      {isTaken && (
        <p class="small problem-text" role="alert">
          {t('people.groupTaken')}
        </p>
      )}
    </>
  );
}

interface AccessFieldProps {
  /** Index in {@link ACCESS}; -1: permissions that the choices lack. */
  readonly access: number;
  readonly onAccess: (access: number) => void;
  /** Permissions that the choices lack, in words. */
  readonly other?: string;
  readonly forPerson?: boolean;
}

/** What a person or an application may do. */
export function AccessField({ access, onAccess, other, forPerson = true }: AccessFieldProps): JSX.Element {
  return (
    <label class="access">
      {t('people.may')}
      <select
        value={access}
        onChange={(event) => {
          onAccess(Number(event.currentTarget.value));
        }}
      >
        {access === -1 && <option value={-1}>{other}</option>}
        {ACCESS.map((choice, index) => (
          <option key={index} value={index}>
            {t(forPerson ? choice.person : choice.application)}
          </option>
        ))}
      </select>
    </label>
  );
}
