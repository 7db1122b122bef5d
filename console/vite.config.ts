import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What the console role puts a fresh nonce in place of, in every answer with the page. */
const NONCE = '__CSP_NONCE__';

export default defineConfig({
  plugins: [react()],
  html: { cspNonce: NONCE },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // Inlined files would be data: addresses, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
