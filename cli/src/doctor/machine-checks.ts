import { access, constants, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { localUrl, packageRoot, type Settings } from '../../../src/index.js';
import { findOffice, folderRemedy } from '../../../src/parts.js';
import { fail, messageOf, ok, warn, type Check, type Finding } from './finding.js';
import { pingAt } from './running-service.js';

/** Checks Node. Runs before all other checks, because Node runs them. */
export const nodeCheck: Check = {
  name: 'Node.js',
  mend: 'Reinstall Lectern',
  async look() {
    const { engines } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {
      readonly engines: { readonly node: string };
    };
    const needed = engines.node.replace(/^>=/, '');
    const present = process.versions.node;
    return isAtLeast(present, needed)
      ? ok(present)
      : fail(`${present} is older than ${needed}. Install Node ${needed} or later`);
  },
};

function isAtLeast(present: string, needed: string): boolean {
  const [have, want] = [present, needed].map((version) => version.split('.').map(Number));
  for (const [at, part] of (want ?? []).entries()) {
    const own = have?.[at] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}

/** Checks of this machine: folder, address, LibreOffice. */
export function machineChecks(settings: Settings): Check[] {
  const folder = resolve(settings.DATA_DIR);
  return [
    {
      name: 'data folder',
      mend: 'Set DATA_DIR (--data of lectern serve) to another folder',
      look: () => dataFolder(folder),
    },
    {
      name: 'address',
      mend: 'Set HOST and PORT (--host and --port of lectern serve) to another address',
      look: () => address(settings),
    },
    {
      name: 'LibreOffice',
      mend: 'Set SOFFICE_PATH to its program',
      look: () => libreOffice(settings),
    },
  ];
}

async function dataFolder(folder: string): Promise<Finding> {
  const nearest = await existing(folder);
  try {
    await access(nearest, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return fail(`${messageOf(error)}: ${folderRemedy(nearest, error)}`);
  }
  return ok(nearest === folder ? folder : `${folder}, will be created at the first start`);
}

/** The folder if it exists, otherwise its nearest existing ancestor. */
async function existing(folder: string): Promise<string> {
  try {
    await access(folder);
    return folder;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    return existing(dirname(folder));
  }
}

async function address(settings: Settings): Promise<Finding> {
  const { HOST, PORT } = settings;
  const url = localUrl(settings);
  if (PORT !== 0 && (await pingAt(url))) return ok(`a Lectern service is running at ${url}`);
  const problem = await listening(HOST, PORT);
  if (problem === undefined) return ok(PORT === 0 ? `${HOST}, any free port` : `${HOST}:${PORT} is free`);
  const mend = 'set PORT or HOST (--port or --host of lectern serve) to another one';
  return fail(
    problem === 'EADDRINUSE'
      ? `another program is listening on ${HOST}:${PORT}: stop it, or ${mend}`
      : `cannot listen on ${HOST}:${PORT} (${problem}): ${mend}`,
  );
}

/** Tries to listen at an address. Resolves to the error code, or to undefined if the address is available. */
function listening(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((done) => {
    server.once('error', ({ code = 'no reason given' }: NodeJS.ErrnoException) => {
      done(code);
    });
    server.listen(port, host, () => {
      server.close(() => {
        done(undefined);
      });
    });
  });
}

async function libreOffice({ SOFFICE_PATH: named }: Settings): Promise<Finding> {
  const program = await findOffice(named);
  if (program !== undefined) return ok(program);
  return named === undefined
    ? warn(
        'not on the PATH: DOC, XLS, PPT, RTF, ODS and ODP cannot be read, and other office documents show no pages. Install LibreOffice, or set SOFFICE_PATH',
      )
    : fail(
        `SOFFICE_PATH ${named} is not an executable program. Set it to the path of LibreOffice, or unset it`,
      );
}
