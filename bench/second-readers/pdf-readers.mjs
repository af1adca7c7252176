import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { textOfPdf } from './second-readers.mjs';

/**
 * Texts of PDFs as other readers extract them: pdftotext, and the Python libraries that are installed.
 *
 * @param files `{ name, bytes }`
 * @param python path of a Python; undefined: no library is used
 * @returns Map of reader to a Map of file name to text
 */
export async function readPdfs(files, python, say) {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-bench-pdf-'));
  try {
    const paths = files.map((_, index) => join(folder, `${index}.pdf`));
    await Promise.all(files.map(({ bytes }, index) => writeFile(paths[index], bytes)));
    const found = new Map();
    const add = (reader, index, text) => {
      if (!found.has(reader)) found.set(reader, new Map());
      found.get(reader).set(files[index].name, text);
    };
    try {
      for (const [index, path] of paths.entries()) add('pdftotext', index, await textOfPdf(path));
    } catch (error) {
      say(error.message);
    }
    if (python !== undefined) {
      for await (const { reader, path, text } of byLibraries(python, paths))
        add(reader, paths.indexOf(path), text);
    }
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* byLibraries(python, paths) {
  const script = fileURLToPath(new URL('pdf-libraries.py', import.meta.url));
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(paths.map((path) => `${path}\n`).join(''));
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('{')) yield JSON.parse(line); // a library may print messages
  }
}
