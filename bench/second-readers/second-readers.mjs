import { execFile, spawn } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Number of files that one start of LibreOffice converts. */
const BATCH = 20;
const SECONDS_A_FILE = 30;
const OUTPUT_BYTES = 2 ** 28;

/** Exports every sheet to its own file, with displayed cell values (LibreOffice, "Filter Options for CSV"). */
const EVERY_SHEET = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1';
const PLAIN_TEXT = 'txt:Text (encoded):UTF8';

const OFFICE_TARGETS = {
  docx: PLAIN_TEXT,
  doc: PLAIN_TEXT,
  odt: PLAIN_TEXT,
  rtf: PLAIN_TEXT,
  xlsx: EVERY_SHEET,
  xls: EVERY_SHEET,
  ods: EVERY_SHEET,
  pptx: 'pdf',
  ppt: 'pdf',
  odp: 'pdf',
};

const BY_LIBRARIES = new Set(['docx', 'xlsx', 'pptx', 'html', 'htm', 'epub', 'eml', 'txt', 'csv']);

export const extensionOf = (path) => extname(path).slice(1).toLowerCase();

export const hasSecondReader = (path) =>
  extensionOf(path) === 'pdf' || extensionOf(path) in OFFICE_TARGETS || BY_LIBRARIES.has(extensionOf(path));

/**
 * Texts extracted by other programs: pdftotext, LibreOffice, and Python libraries.
 *
 * @param python path of a Python that has requirements.txt installed; undefined: Python libraries are not used
 * @param say called with progress messages
 * @returns Map of path to texts; a file that no program can read has an empty list
 */
export async function secondReadings(paths, python, say) {
  const readings = new Map(paths.map((path) => [path, []]));
  const add = (path, text) => {
    if (text.trim() !== '') readings.get(path).push(text);
  };
  for (const path of paths.filter((path) => extensionOf(path) === 'pdf')) {
    const text = await textOfPdf(path);
    if (text !== undefined) add(path, text);
  }
  for (const target of new Set(Object.values(OFFICE_TARGETS))) {
    const files = paths.filter((path) => OFFICE_TARGETS[extensionOf(path)] === target);
    for (let start = 0; start < files.length; start += BATCH) {
      say(
        `LibreOffice: ${Math.min(start + BATCH, files.length)} of ${files.length} to ${target.slice(0, 3)}`,
      );
      await convertAll(files.slice(start, start + BATCH), target, add);
    }
  }
  if (python !== undefined) {
    const own = paths.filter((path) => BY_LIBRARIES.has(extensionOf(path)));
    for await (const { path, text } of byLibraries(python, own)) if (text !== undefined) add(path, text);
  }
  return readings;
}

/** @returns undefined if the file is damaged or encrypted */
export async function textOfPdf(path) {
  try {
    const { stdout } = await run('pdftotext', ['-enc', 'UTF-8', path, '-'], {
      timeout: SECONDS_A_FILE * 1_000,
      maxBuffer: OUTPUT_BYTES,
    });
    return stdout;
  } catch (error) {
    if (error.code === 'ENOENT')
      throw new Error('pdftotext is missing: install poppler-utils', { cause: error });
    return undefined; // the file is damaged or encrypted
  }
}

/** Converts files in a batch. Converts failed files again one by one, because one file can crash the whole batch. */
async function convertAll(files, target, add) {
  const work = await mkdtemp(join(tmpdir(), 'lectern-bench-office-'));
  try {
    const done = await converted(files, target, work);
    for (const path of files) {
      let texts = done.get(path) ?? [];
      if (texts.length === 0 && files.length > 1) {
        texts = (await converted([path], target, work)).get(path) ?? [];
      }
      if (texts.length > 0) add(path, texts.join('\n'));
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function converted(files, target, work) {
  const [given, out] = [await mkdtemp(join(work, 'in-')), await mkdtemp(join(work, 'out-'))];
  // Copies are named by number, because LibreOffice names its results after the files, and two files may have the same
  // name.
  const copies = files.map((path, index) => join(given, `${index}${extname(path)}`));
  await Promise.all(files.map((path, index) => copyFile(path, copies[index])));
  const options = [
    '--headless',
    '--norestore',
    `-env:UserInstallation=${pathToFileURL(join(work, 'profile'))}`,
  ];
  try {
    await run('soffice', [...options, '--convert-to', target, '--outdir', out, ...copies], {
      timeout: SECONDS_A_FILE * 1_000 * files.length,
      killSignal: 'SIGKILL',
      maxBuffer: OUTPUT_BYTES,
    });
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error('soffice is missing: install LibreOffice', { cause: error });
  }
  const made = await readdir(out);
  const texts = new Map();
  for (const [index, path] of files.entries()) {
    const own = made.filter((name) => name.startsWith(`${index}.`) || name.startsWith(`${index}-`));
    const read = own.map((name) =>
      target === 'pdf' ? textOfPdf(join(out, name)) : readFile(join(out, name), 'utf8'),
    );
    texts.set(
      path,
      (await Promise.all(read)).filter((text) => text !== undefined),
    );
  }
  return texts;
}

async function* byLibraries(python, paths) {
  const script = fileURLToPath(new URL('libraries.py', import.meta.url));
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(paths.map((path) => `${path}\n`).join(''));
  for await (const line of createInterface(child.stdout)) yield JSON.parse(line);
}
