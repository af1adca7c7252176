import { readSettings } from '../../src/config/read-settings.js';
import type { Settings } from '../../src/config/settings.js';

/** Returns the settings of an environment, on top of the defaults. */
export function settingsWith(environment: Readonly<Record<string, string>> = {}): Settings {
  return readSettings(environment);
}
