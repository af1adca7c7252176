/**
 * `npm run env`: generates `.env.example` and the list in docs/reference/settings.md from the definition of the
 * settings.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { envExample, withSettingsList } from '../dist/config/settings-docs.js';

writeFileSync(new URL('../.env.example', import.meta.url), envExample());

const configuration = new URL('../docs/reference/settings.md', import.meta.url);
writeFileSync(configuration, withSettingsList(readFileSync(configuration, 'utf8')));
