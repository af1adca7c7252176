import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Returns the path of Chromium: CHROMIUM_PATH, or the first known name on the PATH; undefined if none is
 * installed.
 */
export function findChromium(): string | undefined {
  const { CHROMIUM_PATH: named, PATH = '' } = process.env;
  if (named !== undefined) return named;
  const places = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return places.find(isExecutable);
}

/** Browser specs. Without Chromium they are skipped, and the title of the run reports it. */
export const inBrowser =
  findChromium() === undefined
    ? (name: string, specs: () => void): void => {
        describe.skip(`${name} (skipped: no Chromium on the PATH, and CHROMIUM_PATH is not set)`, specs);
      }
    : describe;

/** Starts Chromium without background requests, and without a sandbox: containers do not permit one. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium() ?? '',
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
