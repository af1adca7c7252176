/**
 * `node peak-memory.mjs FILE`: parses FILE with the built service and prints pages, characters and peak
 * memory.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parse } from '../../reader/dist/parsing/parse.js';

const [, , file] = process.argv;
const { pageCount, text } = await parse(new Uint8Array(await readFile(file)), { filename: basename(file) });
const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
console.log(JSON.stringify({ pageCount, characters: text.length, megabytes }));
