/** Writes the files of test/fixtures/documents: `node test/support/generate/index.mjs`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chartFiles } from './chart-files.mjs';
import { mailFiles } from './mail-files.mjs';
import { officeFiles } from './office-files.mjs';
import { openFiles } from './open-files.mjs';
import { outlookFiles } from './outlook-files.mjs';
import { pdfFiles } from './pdf-files.mjs';
import { pictureFiles } from './pictures.mjs';
import { textFiles } from './text-files.mjs';

const folder = fileURLToPath(new URL('../../fixtures/documents', import.meta.url));
const pdfs = await pdfFiles();
const files = {
  ...textFiles(),
  ...pdfs,
  ...officeFiles(),
  ...chartFiles(),
  ...openFiles(),
  ...mailFiles({ report: pdfs['report.pdf'] }),
  ...outlookFiles({ report: pdfs['report.pdf'] }),
  ...(await pictureFiles()),
};
for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
console.log(`${Object.keys(files).length} files in ${folder}`);
