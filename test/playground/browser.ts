import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The system's Chromium: CHROMIUM_PATH, or the first of its names on the PATH; null where there is none. */
export function findChromium(): string | null {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  if (CHROMIUM_PATH !== undefined) return CHROMIUM_PATH;
  const candidates = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return candidates.find(isExecutable) ?? null;
}

/** Starts it without asking any other machine for anything. The sandbox needs more than containers allow. */
export function launchChromium(path: string): Promise<Browser> {
  return chromium.launch({
    executablePath: path,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  });
}

/** Drops a file on an element, as from the desktop. */
export async function dropFile(
  page: Page,
  selector: string,
  file: { readonly name: string; readonly type: string; readonly bytes: Buffer },
): Promise<void> {
  const { name, type, bytes } = file;
  const dataTransfer = await page.evaluateHandle(
    ({ base64, fileName, mediaType }) => {
      const decoded = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([decoded], fileName, { type: mediaType }));
      return transfer;
    },
    { base64: bytes.toString('base64'), fileName: name, mediaType: type },
  );
  for (const event of ['dragenter', 'dragover', 'drop']) {
    await page.dispatchEvent(selector, event, { dataTransfer });
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
