import { gzipSync } from 'node:zlib';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** The service that `npm run dev:web` passes requests on to. */
const SERVICE = process.env['LECTERN_URL'] ?? 'http://127.0.0.1:8000';

/** A compressed copy beside every file that is text: the service sends it as it is. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    generateBundle: {
      order: 'post', // Vite completes dynamic imports in this step
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (!/\.(js|css|svg)$/.test(file.fileName)) continue;
          const source = gzipSync(file.type === 'chunk' ? file.code : file.source, { level: 9 });
          this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source });
        }
      },
    },
  };
}

/** KaTeX lists each font in three formats. Every browser that is supported reads the first one. */
function oneFontFormat(): Plugin {
  return {
    name: 'one-font-format',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('/katex.min.css')) return undefined;
      return code.replaceAll(/,url\([^)]*\.(?:woff|ttf)\) format\("\w+"\)/g, '');
    },
  };
}

export default defineConfig({
  plugins: [oneFontFormat(), compressed()],
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
