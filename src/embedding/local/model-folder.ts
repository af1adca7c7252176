import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { LocalModel } from '../../config/local-models.js';
import { packageRoot } from '../../config/package-root.js';
import { ConfigurationError } from '../../config/read-settings.js';

/**
 * Where the files of a model are: in the installation itself, or in the package that is installed beside it.
 * @throws ConfigurationError with the command that installs it.
 */
export function modelFolder({ name, package: itsPackage }: LocalModel, root = packageRoot): string {
  const own = join(root, 'models', name);
  if (itsPackage === undefined || existsSync(own)) return own;
  try {
    return dirname(createRequire(join(root, 'package.json')).resolve(`${itsPackage}/package.json`));
  } catch (error) {
    throw new ConfigurationError(
      [
        `EMBEDDING_MODEL needs ${name}, which is a package of its own: run "npm install ${itsPackage}" where lectern is installed, or set another model`,
      ],
      { cause: error },
    );
  }
}
