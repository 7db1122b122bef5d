import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { scriptlessNotice } from '../scriptlessNotice.ts';

/** Placeholder that the console role replaces by a fresh nonce in every response with the page. */
const NONCE = '__CSP_NONCE__';

export default defineConfig({
  plugins: [react(), scriptlessNotice],
  html: { cspNonce: NONCE },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // The first with light-dark, which is lowered wrongly where a part has a color-scheme of its own.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Inlined files would be data: URLs, which the content security policy refuses.
    assetsInlineLimit: 0,
    // A list of what each page imports would be larger than what it saves: most is loaded with the first page.
    modulePreload: { polyfill: false, resolveDependencies: () => [] },
    rolldownOptions: {
      output: {
        // The first file names all others: with names for readers it would be larger by a kilobyte.
        chunkFileNames: 'assets/[hash].js',
        assetFileNames: 'assets/[hash][extname]',
      },
    },
  },
});
