/** The specs that a mutation run executes, as one: what they import is then loaded once for each change and not for each spec. */
const { readdirSync } = require('node:fs');
const { join } = require('node:path');

const ROOMS = ['src/filters', 'src/metadata'];

for (const room of ROOMS) {
  for (const name of readdirSync(room, { recursive: true }).filter((each) => each.endsWith('.spec.ts'))) {
    require(join(process.cwd(), room, name));
  }
}
require('./invalid-filters.spec.ts');
