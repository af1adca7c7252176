/** Checks the types of every project, by the native compiler (docs/project/decisions.md). */
import { spawnSync } from 'node:child_process';

const PROJECTS = [
  'tsconfig.json',
  'clients/typescript/tsconfig.json',
  'clients/react/tsconfig.json',
  'clients/react/example/tsconfig.json',
  'clients/vue/tsconfig.json',
  'web/tsconfig.json',
  'test/browser/tsconfig.json',
];

for (const project of PROJECTS) {
  const compiler = ['node_modules/typescript-7/bin/tsc', '--noEmit', '-p', project];
  if (spawnSync(process.execPath, compiler, { stdio: 'inherit' }).status !== 0) process.exitCode = 1;
}
