/** `npm run openapi`: generates `openapi.json`, which is committed, from controllers and DTO classes. */
import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { openApiText } from '../dist/openapi.js';

writeFileSync(new URL('../openapi.json', import.meta.url), await openApiText());
