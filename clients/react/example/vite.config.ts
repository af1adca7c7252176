import { defineConfig } from 'vite';

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic' } },
  // `npm run dev`; `npm start` serves the built page and makes tokens.
  server: { proxy: { '/token': `http://127.0.0.1:${process.env['PORT'] ?? '5180'}` } },
});
