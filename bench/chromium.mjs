import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Returns the path of Chromium: CHROMIUM_PATH, or the first known name on the PATH; undefined if there is none. */
export function findChromium() {
  const { CHROMIUM_PATH: named, PATH = '' } = process.env;
  if (named !== undefined) return named;
  return PATH.split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

export const NO_CHROMIUM = 'no Chromium on the PATH, and CHROMIUM_PATH is not set';
