import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { html } from '../../api/pages/html.ts';
import { scriptless } from '../../api/pages/scriptless.ts';
import { apiPages } from './api/reference.ts';
import { documentPages } from './documents.ts';
import { framed, type Language, NOT_FOUND, type Page, searchPath } from './page.ts';
import { problemPages } from './problemPages.ts';
import { searchIndex } from './search.ts';

/** Page of search results in a language, which the browser's script fills. */
const searchPage = (language: Language): Page => ({
  path: searchPath[language],
  title: language === 'mn' ? 'Хайлт' : 'Search',
  language,
  headings: [],
  passages: [],
  main: html`<h1>${language === 'mn' ? 'Хайлт' : 'Search'}</h1>
    <ul class="results" id="results"></ul>
    ${scriptless}`,
});

const notFoundPage: Page = {
  path: NOT_FOUND,
  title: 'Not found',
  language: 'en',
  headings: [],
  passages: [],
  main: html`<h1>There is no such page</h1>
    <p>Search for it, or look in the contents.</p>`,
};

/**
 * Builds the documentation site from docs/ and the tables of the program: files that any web server serves, below any
 * path.
 *
 * @param directory output folder, emptied first
 */
export async function buildSite(directory: string): Promise<void> {
  const { pages: documents, parts, pictures } = documentPages();
  const pages = [...documents, ...apiPages(), ...problemPages()];
  rmSync(directory, { recursive: true, force: true });
  const write = (path: string, content: string) => {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  for (const page of [...pages, searchPage('en'), searchPage('mn'), notFoundPage])
    write(page.path, framed(page, parts));
  write('assets/search.json', searchIndex(pages));
  // A service that is a demo says so in its place (api/docs/site.ts).
  write('demo.json', JSON.stringify({ demo: false }));
  copyFileSync('apps/pages/icon.svg', join(directory, 'assets/icon.svg'));
  for (const [name, file] of pictures) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    copyFileSync(file, join(directory, name));
  }
  await build({
    entryPoints: [
      { in: 'apps/site/browser/search.ts', out: 'assets/site' },
      { in: 'apps/site/browser/tryIt.ts', out: 'assets/tryIt' },
      { in: 'apps/site/browser/site.css', out: 'assets/site' },
    ],
    outdir: directory,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    logLevel: 'warning',
  });
  await buildVerifiers(join(directory, 'verifier'));
}

/** Builds the two verifiers of exports, a file each that needs no other: a program for Node.js and a page. */
export async function buildVerifiers(directory: string): Promise<void> {
  const bundle = {
    bundle: true,
    minify: true,
    logLevel: 'warning',
    legalComments: 'none',
  } as const;
  await build({
    ...bundle,
    entryPoints: { 'tamga-verify': 'main/cli/verifierFile.ts' },
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  const { outputFiles } = await build({
    ...bundle,
    entryPoints: ['apps/site/browser/verifyExport.ts', 'apps/site/browser/verifyExport.css'],
    outdir: directory,
    format: 'iife',
    target: 'es2022',
    write: false,
  });
  const page = outputFiles.reduce(
    (html, { path, text }) =>
      html.replace(path.endsWith('.css') ? '/*style*/' : '/*script*/', () => text),
    readFileSync('apps/site/browser/verifyExport.html', 'utf8'),
  );
  writeFileSync(join(directory, 'verify-export.html'), page);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildSite(fileURLToPath(new URL('../../docs-site', import.meta.url)));
}
