import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { scriptlessNotice } from '../../scriptlessNotice.ts';

// Build of the phone in the browser: one page below /phone, and its service worker.

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
  plugins: [scriptlessNotice],
  base: '/phone/',
  build: {
    outDir: '../../../dist/phone-web',
    emptyOutDir: true,
    target: 'es2023',
    // The first with light-dark, which is lowered wrongly where a part has a color-scheme of its own.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Inlined files would be data: URLs, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: fileOf('index.html'), sw: fileOf('sw.ts') },
      output: {
        // A service worker is identified by its URL, which must stay.
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name].[hash].js'),
        chunkFileNames: 'assets/[name].[hash].js',
        assetFileNames: 'assets/[name].[hash][extname]',
      },
    },
  },
});
