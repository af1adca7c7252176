import type { Page } from 'playwright-core';

/** Dispatches a drop of a file on an element, as from the desktop. */
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

/** Drags a path from the disk to the middle of an element, like a file manager. */
export async function dropFromDisk(page: Page, selector: string, path: string): Promise<void> {
  const { x, y, width, height } = (await page.locator(selector).boundingBox())!;
  const session = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', {
      type,
      x: x + width / 2,
      y: y + height / 2,
      data: { items: [], files: [path], dragOperationsMask: 1 },
    });
  }
  await session.detach();
}
