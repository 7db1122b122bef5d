import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configurationTable, readConfig } from '../infrastructure/config.ts';
import { createService } from '../main.ts';
import { demoAccountsPage } from './demo.ts';
import { deprecationsPage } from './release/deprecationsPage.ts';
import type { OpenApiDocument } from './release/openApiDocument.ts';
import { openApiFile } from './release/releaseFiles.ts';

/** The generated pages: path and content. A test compares them with what is committed. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  'docs/configuration.md': configurationTable,
  'docs/demo-accounts.md': demoAccountsPage,
  'docs/deprecations.md': () =>
    deprecationsPage(JSON.parse(readFileSync(openApiFile, 'utf8')) as OpenApiDocument),
};

/** What a service answers at `/openapi.json`, as it stands in {@link openApiFile}. */
export async function describedBy(origin: string): Promise<string> {
  const answer = await fetch(`${origin}/openapi.json`);
  return `${JSON.stringify(await answer.json(), null, 2)}\n`;
}

/** Writes the generated pages of docs/. */
export async function writeDocumentation(): Promise<void> {
  await write(openApiFile, await description());
  for (const [path, content] of Object.entries(generatedPages)) await write(path, content());
}

async function write(path: string, content: string): Promise<void> {
  await writeFile(path, content);
  process.stdout.write(`${path}\n`);
}

/** Asks a service of its own, on an empty database that is gone afterwards: the rows are those that are served. */
async function description(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-docs-'));
  try {
    // The database does not run as root, and has to get here.
    await chmod(directory, 0o755);
    const service = createService(
      readConfig({
        ...{ SVC_PROFILE: 'development', SVC_DATA_DIR: directory },
        ...{ SVC_HOST: '127.0.0.1', SVC_PORT: '0', SVC_LOG_LEVEL: 'error' },
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
