/**
 * Puts the compiled service and most of its libraries into dist/bundle: a file for each room, and one for the libraries.
 * They load in half of the processor time of 3,600 modules. `dist/main.js` runs them if they are those of the last
 * compilation. `npm run build` calls this; it does nothing if nothing was compiled since the last time.
 */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build } from 'vite';

const DIST = resolve('dist');
const ENTRY = join(DIST, 'bundle/run-service.js');

/** What stays in node_modules. */
const EXTERNAL = [
  // Nest finds them by name at run time: a second copy would not know the decorators of the first.
  'reflect-metadata',
  'typeorm',
  'class-validator',
  'class-transformer',
  // TypeORM finds it by name, and it keeps global settings.
  'pg',
  'pgvector',
  // They have machine code, WebAssembly, threads or files of their own.
  '@electric-sql/pglite',
  '@electric-sql/pglite-pgvector',
  '@electric-sql/pglite-socket',
  '@napi-rs/image',
  'onnxruntime-node',
  'pino',
  'pino-pretty',
  'swagger-ui-dist',
  // Nest asks for these packages, which are not installed, in a try block.
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  '@fastify/view',
];

let atStart;

if (!existsSync(ENTRY) || statSync(ENTRY).mtimeMs < statSync(join(DIST, '.tsbuildinfo')).mtimeMs) {
  rmSync(join(DIST, 'bundle'), { recursive: true, force: true });
  await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [{ name: 'parts-of-the-checkout', enforce: 'pre', resolveId }],
    ssr: { noExternal: true, external: EXTERNAL },
    build: {
      ssr: true,
      outDir: join(DIST, 'bundle'),
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      sourcemap: true, // names the compiled files; the proofs of statements look for them
      rolldownOptions: {
        input: { 'run-service': join(DIST, 'run-service.js') },
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          keepNames: true, // Nest and TypeORM use the names of classes
          // Without comments and indents: V8 keeps the sources in memory.
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
          minifyInternalExports: false,
          codeSplitting: {
            groups: [{ name: chunkOf, debugName: 'rooms' }],
            includeDependenciesRecursively: false,
          },
        },
      },
    },
  });
  shrink(join(DIST, 'bundle/libraries.js'));
}

/**
 * Removes the map of a file: Node would parse its 10 MB at every start of a process that reads maps. Escapes what is not
 * ASCII: V8 keeps sources in memory, with two bytes for every character if one of them is outside of Latin-1.
 */
function shrink(file) {
  rmSync(`${file}.map`);
  const code = readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
  writeFileSync(file, code.replace(/[^\t\n\r -~]/g, escaped));
}

function escaped(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The reader starts its processes from its own files; commands call the same listener for signals. */
function resolveId(source, importer) {
  if (source === '#reader') return { id: source, external: true };
  if (importer !== undefined && resolve(importer, '..', source) === join(DIST, 'stop-signals.js')) {
    return { id: '../stop-signals.js', external: true };
  }
  return null;
}

/** Returns the room of a module of the service, or `libraries`; null for what is loaded on demand. */
function chunkOf(id, graph) {
  atStart ??= importedBy(join(DIST, 'run-service.js'), graph);
  if (!atStart.has(id)) return null;
  const path = relative(DIST, id);
  if (path.startsWith('..')) return 'libraries';
  return path.split('/', 1)[0].replace(/\.js$/, '');
}

/** Returns the modules that a module imports, and those that they import. */
function importedBy(entry, graph) {
  const found = new Set([entry]);
  for (const id of found)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}
