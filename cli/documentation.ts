import { writeFile } from 'node:fs/promises';
import { configurationTable } from '../infrastructure/config.ts';
import { demoAccountsPage } from './demo.ts';

/** The generated pages: path and content. A test compares them with what is committed. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  'docs/configuration.md': configurationTable,
  'docs/demo-accounts.md': demoAccountsPage,
};

/** Writes the generated pages of docs/. */
export async function writeDocumentation(): Promise<void> {
  for (const [path, content] of Object.entries(generatedPages)) {
    await writeFile(path, content());
    process.stdout.write(`${path}\n`);
  }
}
