import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// The phone in the browser: one page below /phone, and the service worker beside it.

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
  base: '/phone/',
  build: {
    outDir: '../../dist/phone-web',
    emptyOutDir: true,
    target: 'es2023',
    // Inlined files would be data: addresses, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: fileOf('index.html'), sw: fileOf('sw.ts') },
      output: {
        // A service worker is found by its address, which must stay.
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name].[hash].js'),
        chunkFileNames: 'assets/[name].[hash].js',
        assetFileNames: 'assets/[name].[hash][extname]',
      },
    },
  },
});
