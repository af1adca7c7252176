import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { defaultServerConditions, defineConfig, type Plugin } from 'vite';

const ROOT = resolve(import.meta.dirname, '..');
const SERVER = join(ROOT, 'src');

const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** The server and the reader are built beside the commands, which import them from there and hold no copy of them. */
function builtServer(): Plugin {
  return {
    name: 'built-server',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      const path = found === null ? '..' : relative(SERVER, found.id);
      if (source === '#reader') return { id: source, external: true };
      if (path.startsWith('..')) return found;
      return { id: `../${path.replace(/\.ts$/, '.js')}`, external: true };
    },
  };
}

/**
 * Everything that is not the server, one of its dependencies or Node goes into dist/cli, the other workspaces too: the
 * package that is published needs nothing of them.
 */
export default defineConfig({
  plugins: [builtServer()],
  ssr: {
    noExternal: true,
    external: Object.keys(dependencies),
    resolve: { conditions: ['@lectern/source', ...defaultServerConditions] },
  },
  build: {
    ssr: true,
    outDir: '../dist/cli',
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      input: { lectern: 'cli/src/lectern.ts', evaluation: 'evaluation/src/index.ts' },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
});
