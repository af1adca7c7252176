import { defineConfig } from 'vite';

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic' } },
  build: { target: 'es2022' }, // waits for the sign-in at the top level
  server: { host: '127.0.0.1', port: 5180, strictPort: true },
});
