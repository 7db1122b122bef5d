import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readFontMetrics } from '../../infrastructure/pdf/fontMetrics.ts';
import { assetFile, templateFile } from '../../infrastructure/pdf/pageTemplate.ts';
import { pageLayout, pageSize } from '../../infrastructure/pdf/validationPage.ts';
import { run } from './test.ts';

/** Hashes of the page template and of what it was drawn from. */
export const templateOriginFile = templateFile.replace(/\.pdf$/, '.json');

/**
 * Hashes of the sources of the current drawing: equal to {@link templateOriginFile} while the drawing is up to date.
 */
export function templateOrigin(drawn: Buffer): string {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const regular = assetFile('fonts/NotoSans-Regular.ttf');
  const fonts = [regular, assetFile('fonts/NotoSans-Bold.ttf')];
  const origin = {
    pdf: sha256(drawn),
    layout: sha256(JSON.stringify([pageLayout, pageSize])),
    fonts: fonts.map((font) => sha256(readFileSync(font))),
    characters: sha256([...readFontMetrics(regular).codePoints].join()),
    program: sha256(readFileSync('main/cli/drawPageTemplate.ts')),
    muhammara: devDependencies['muhammara'],
  };
  return `${JSON.stringify(origin, null, 2)}\n`;
}

/**
 * Draws the page template when its sources have changed.
 *
 * @returns the drawing; null when the current one is up to date
 * @throws Error when muhammara cannot be compiled
 */
export async function drawnWhereOutdated(): Promise<Buffer | null> {
  const origin = existsSync(templateOriginFile) ? readFileSync(templateOriginFile, 'utf8') : '';
  if (origin === templateOrigin(readFileSync(templateFile))) return null;
  await compileMuhammara();
  const { drawPageTemplate } = await import('./drawPageTemplate.ts');
  return drawPageTemplate();
}

/** Compiles the native module, which ./tamga does not install: it takes minutes, and is needed here only. */
async function compileMuhammara(): Promise<void> {
  if (existsSync('node_modules/muhammara/binding/muhammara.node')) return;
  process.stdout.write('Compiling muhammara, which takes some minutes …\n');
  const prefix = dirname(dirname(process.execPath));
  const headers = existsSync(join(prefix, 'include/node/node.h')) && { npm_config_nodedir: prefix };
  const code = await run('npm', ['rebuild', '--loglevel=error', 'muhammara'], {
    ...headers,
    ...process.env,
  });
  if (code !== 0) {
    throw new Error(
      'muhammara was not compiled. Install a C++ compiler, make and Python, then run ./tamga docs again.',
    );
  }
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
