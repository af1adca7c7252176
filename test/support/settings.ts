import { readSettings } from '../../src/config/read-settings.js';
import type { Settings } from '../../src/config/settings.js';

/** Settings as the environment gives them, on top of the defaults. */
export function settingsWith(environment: Readonly<Record<string, string>> = {}): Settings {
  return readSettings(environment);
}
