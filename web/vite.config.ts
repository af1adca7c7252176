import { gzipSync } from 'node:zlib';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** The service that `npm run dev:web` passes requests on to. */
const SERVICE = process.env['LECTERN_URL'] ?? 'http://127.0.0.1:8000';

/** A compressed copy beside every file that is text: the service sends it as it is. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (!/\.(js|css|svg)$/.test(file.fileName)) continue;
        const source = gzipSync(file.type === 'chunk' ? file.code : file.source, { level: 9 });
        this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source });
      }
    },
  };
}

export default defineConfig({
  plugins: [compressed()],
  resolve: { conditions: ['@lectern/source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  server: {
    // Everything that is no file of the playground.
    proxy: { '^/(?!$|src/|@|node_modules/|index\\.html|\\?|\\.\\./)': SERVICE },
  },
});
