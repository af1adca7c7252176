/**
 * Combines the specs of a mutation run into one, so that shared imports are loaded once per mutant and not
 * once per spec.
 */
const { readdirSync } = require('node:fs');
const { join } = require('node:path');

const ROOMS = ['src/filters', 'src/metadata'];

for (const room of ROOMS) {
  for (const name of readdirSync(room, { recursive: true }).filter((each) => each.endsWith('.spec.ts'))) {
    require(join(process.cwd(), room, name));
  }
}
require('./invalid-filters.spec.ts');
