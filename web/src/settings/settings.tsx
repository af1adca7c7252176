import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { LecternError, type InstalledModel } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { ConnectModel } from './connect-model.js';
import { ModelInUse } from './model-in-use.js';
import { t } from '../language/translate.js';

const FORBIDDEN = 403;

/** Shows which model answers. Administrators of the installation can connect another model. */
export function SettingsView(): JSX.Element {
  const { client, holder } = useSession();
  const [changes, setChanges] = useState(0);
  const isOfPerson = holder.person !== null; // the service does not show them the settings
  const model = useLoaded(
    (signal) => (isOfPerson ? Promise.resolve(null) : ownedModel(client.model.get({ signal }))),
    [changes],
  );
  const changed = (): void => {
    setChanges((before) => before + 1);
  };
  return (
    <>
      <h1>{t('view.settings')}</h1>
      <ErrorNotice error={model.error} onRetry={model.reload} />
      <ModelInUse owned={model.value} changes={changes} onChange={changed} />
      {isOfPerson && <p class="muted">{t('settings.byOperator')}</p>}
      {model.value !== null && <ConnectModel inUse={model.value} onConnected={changed} />}
    </>
  );
}

/** @returns null for administrators of other tenants, because they may not see the settings of the installation */
async function ownedModel(asked: Promise<InstalledModel>): Promise<InstalledModel | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof LecternError && error.status === FORBIDDEN) return null;
    throw error;
  }
}
