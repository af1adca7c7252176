import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../config/package-root.js';
import { envExample, withSettingsTable } from '../config/settings-docs.js';

/** `npm run env`: writes `.env.example` and the table of docs/configuration.md from the settings definition. */
writeFileSync(join(packageRoot, '.env.example'), envExample());

const configuration = join(packageRoot, 'docs', 'configuration.md');
writeFileSync(configuration, withSettingsTable(readFileSync(configuration, 'utf8')));
