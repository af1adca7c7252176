import { readFileSync } from 'node:fs';

const { dependencies: packagesOfReader } = JSON.parse(
  readFileSync(new URL('reader/package.json', import.meta.url), 'utf8'),
);

export default {
  ignoreExportsUsedInFile: true, // shapes of what exported functions take and give
  workspaces: {
    '.': {
      entry: [
        'src/main.ts!',
        'src/run-service.ts!', // the bundle begins with it
        'demo/build-pdf.mjs',
        'src/**/*.worker.ts!',
        'src/openapi.ts', // scripts run what is built of it
        'test/**/*.e2e.ts',
        'test/browser/hooks/main.ts', // of a page
        'test/**/*.{mjs,cjs}',
      ],
      project: [
        'src/**/*.ts!',
        'maintenance/**/*.ts!',
        'test/**/*.{ts,mjs,cjs}',
        'bench/**/*.mjs',
        'demo/**/*.mjs',
      ],
      ignore: ['test/clients/*.mjs'], // a package of its own
      ignoreDependencies: [
        '@nestjs/schematics', // of the Nest CLI, which is not installed (docs/project/decisions.md)
        ...Object.keys(packagesOfReader), // the published package contains the reader
        ...['@lectern/client', '@lectern/react', 'react', 'react-dom'], // of workspaces, for the page of a spec
      ],
    },
    reader: {
      entry: ['src/**/*.worker.ts!'],
      project: ['src/**/*.ts!'],
      ignoreDependencies: ['@tesseract.js-data/eng'], // data, found by its path
    },
    'clients/typescript': {
      entry: ['src/{index,langchain,ai}.ts', 'src/ui/index.ts'],
      ignore: ['src/schema.ts'], // generated
    },
    'clients/react': {},
    'clients/react/example': {},
    'clients/vue': {},
    evaluation: {},
    'models/multilingual-e5-small': {},
    cli: { entry: ['src/lectern.ts'] },
    web: { project: ['**/*.{ts,tsx}'] },
  },
};
