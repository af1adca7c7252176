import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { envExample } from '../config/env-example.js';
import { packageRoot } from '../config/package-root.js';
import { withSettingsTable } from '../config/settings-table.js';

/** `npm run env`: writes `.env.example` and the table of docs/configuration.md from the settings definition. */
writeFileSync(join(packageRoot, '.env.example'), envExample());

const configuration = join(packageRoot, 'docs', 'configuration.md');
writeFileSync(configuration, withSettingsTable(readFileSync(configuration, 'utf8')));
