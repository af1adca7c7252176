import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The system's Chromium: CHROMIUM_PATH, or the first of its names on the PATH; undefined where there is none. */
export function findChromium(): string | undefined {
  const { CHROMIUM_PATH: named, PATH = '' } = process.env;
  if (named !== undefined) return named;
  const places = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return places.find(isExecutable);
}

/** Specs in a browser: without one they are skipped, and the run says so. */
export const inBrowser =
  findChromium() === undefined
    ? (name: string, specs: () => void): void => {
        describe.skip(`${name} (skipped: no Chromium on the PATH, and CHROMIUM_PATH is not set)`, specs);
      }
    : describe;

/** Starts it; it asks nobody for anything. Its sandbox needs more than containers allow. */
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
