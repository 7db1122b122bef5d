import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test, type TestOptions } from './test.ts';

/** Pictures of the documentation by the pictures of tests they are. */
const documented = {
  'readme-dashboard.png': 'console-dashboard.png',
  'demo-bank-qr-en-dark-1440.png': 'demo-bank-qr.png',
  'phone-en-dark-signature.png': 'phone-signature.png',
} as const;

/**
 * Runs the tests that leave pictures of pages, and renews those of the documentation.
 *
 * @param directory of the pictures, made where it is missing
 * @returns exit code; the documentation is renewed where it is 0
 */
export async function testWithPictures(directory: string, options: TestOptions): Promise<number> {
  await mkdir(directory, { recursive: true });
  process.env['TAMGA_SCREENSHOTS'] = resolve(directory);
  const code = await test(await testsWithPictures(), options);
  if (code !== 0) return code;
  for (const [made, shown] of Object.entries(documented)) {
    await copyFile(join(directory, made), join('docs/screenshots', shown));
  }
  return 0;
}

/** Test files that leave pictures. */
async function testsWithPictures(): Promise<readonly string[]> {
  const files = (await readdir('test', { recursive: true })).map((file) => join('test', file));
  const sources = files.filter((file) => file.endsWith('.test.ts'));
  const texts = await Promise.all(sources.map((file) => readFile(file, 'utf8')));
  return sources.filter((_, index) => /\b(?:picture|looksAt)\(/.test(texts[index] ?? ''));
}
