/**
 * `npm run pictures`: renders every docs/pictures/NAME.dot to NAME.svg with Graphviz, compiled to
 * WebAssembly.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Graphviz } from '@hpcc-js/wasm-graphviz';

// Boxes are sized for the widest common font, which the .dot files name, but displayed in the reader's font.
const MEASURED = 'font-family="DejaVu Sans"';
const SHOWN = 'font-family="Helvetica,Arial,Liberation Sans,DejaVu Sans,sans-serif"';

const folder = new URL('../docs/pictures/', import.meta.url);
const graphviz = await Graphviz.load();
for (const name of readdirSync(folder).filter((file) => file.endsWith('.dot'))) {
  const svg = graphviz.dot(readFileSync(new URL(name, folder), 'utf8'), 'svg');
  writeFileSync(new URL(name.replace(/\.dot$/, '.svg'), folder), svg.replaceAll(MEASURED, SHOWN));
}
