import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { LocalModel } from '../../../config/local-models.js';
import { packageRoot } from '../../../config/package-root.js';
import { ConfigurationError } from '../../../config/read-settings.js';

/**
 * Returns the folder of a model's files: in the installation, or in the model's npm package.
 * @throws ConfigurationError with the install command for a missing package.
 */
export function modelFolder({ name, package: itsPackage }: LocalModel, root = packageRoot): string {
  const own = join(root, 'models', name);
  if (itsPackage === undefined || existsSync(own)) return own;
  try {
    return dirname(createRequire(join(root, 'package.json')).resolve(`${itsPackage}/package.json`));
  } catch (error) {
    throw new ConfigurationError(
      [
        `EMBEDDING_MODEL needs ${name}, which is a separate package: run "npm install ${itsPackage}" where lectern is installed, or set another model`,
      ],
      { cause: error },
    );
  }
}
