import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configurationTable, readConfig } from '../../infrastructure/config/config.ts';
import { templateFile } from '../../infrastructure/pdf/pageTemplate.ts';
import { createService } from '../main.ts';
import { commandsPage } from './commandAccess.ts';
import { demoAccountsPage } from './demo.ts';
import { drawnWhereOutdated, templateOrigin, templateOriginFile } from './pageTemplate.ts';
import { deprecationsPage } from './release/deprecationsPage.ts';
import type { OpenApiDocument } from './release/openApiDocument.ts';
import { openApiFile } from './release/releaseFiles.ts';

/** Generated pages: path and content. A test compares them with the committed ones. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  'docs/commands.md': commandsPage,
  'docs/configuration.md': configurationTable,
  'docs/demo-accounts.md': demoAccountsPage,
  'docs/deprecations.md': () =>
    deprecationsPage(JSON.parse(readFileSync(openApiFile, 'utf8')) as OpenApiDocument),
};

/** Response of a service at `/openapi.json`, formatted as in {@link openApiFile}. */
export async function describedBy(origin: string): Promise<string> {
  const answer = await fetch(`${origin}/openapi.json`);
  return `${JSON.stringify(await answer.json(), null, 2)}\n`;
}

/** Writes the generated pages of docs/, and the PDF page template, where they changed. */
export async function writeDocumentation(): Promise<void> {
  await write(openApiFile, await description());
  for (const [path, content] of Object.entries(generatedPages)) await write(path, content());
  const drawn = await drawnWhereOutdated();
  if (drawn === null) return;
  await write(templateFile, drawn);
  await write(templateOriginFile, templateOrigin(drawn));
}

async function write(path: string, content: string | Buffer): Promise<void> {
  await writeFile(path, content);
  process.stdout.write(`${path}\n`);
}

/**
 * Reads the description from a service on a temporary database, so that it covers the routes
 * actually served.
 */
async function description(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-docs-'));
  try {
    // PostgreSQL does not run as root, and needs access to the directory.
    await chmod(directory, 0o755);
    const service = createService(
      readConfig({
        SVC_PROFILE: 'development',
        SVC_DATA_DIR: directory,
        SVC_HOST: '127.0.0.1',
        SVC_PORT: '0',
        SVC_LOG_LEVEL: 'error',
      }),
    );
    await service.start();
    try {
      return await describedBy(service.origin);
    } finally {
      await service.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
