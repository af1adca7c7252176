/**
 * `npm run pictures`: renders every docs/pictures/NAME.dot to NAME.svg with Graphviz, compiled to
 * WebAssembly.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Graphviz } from '@hpcc-js/wasm-graphviz';

// Graphviz sizes the boxes for the font in the .dot files, which is the widest common font. Browsers then use a font
// that they have.
const MEASURED = 'font-family="DejaVu Sans"';
const SHOWN = 'font-family="Helvetica,Arial,Liberation Sans,DejaVu Sans,sans-serif"';

const folder = new URL('../docs/pictures/', import.meta.url);
const graphviz = await Graphviz.load();
for (const name of readdirSync(folder).filter((file) => file.endsWith('.dot'))) {
  const svg = graphviz.dot(readFileSync(new URL(name, folder), 'utf8'), 'svg');
  writeFileSync(new URL(name.replace(/\.dot$/, '.svg'), folder), svg.replaceAll(MEASURED, SHOWN));
}
