import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../config/package-root.js';
import { openApiText } from './openapi/openapi-text.js';

/** `npm run openapi`: writes the committed `openapi.json` from controllers and DTO classes. */
writeFileSync(join(packageRoot, 'openapi.json'), await openApiText());
