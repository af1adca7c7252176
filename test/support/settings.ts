import { readSettings } from '../../src/config/read-settings.js';
import type { Settings } from '../../src/config/settings.js';

/** Returns the settings for an environment. Settings without a variable have their defaults. */
export function settingsWith(environment: Readonly<Record<string, string>> = {}): Settings {
  return readSettings(environment);
}
