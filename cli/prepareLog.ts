import { readFile } from 'node:fs/promises';
import { readConfig } from '../infrastructure/config/config.ts';
import { parseConnectionString } from '../infrastructure/eventstore/eventStoreDb/connectionString.ts';
import { prepareServer } from '../infrastructure/eventstore/eventStoreDb/prepareServer.ts';

/** Creates the user of SVC_EVENTSTORE_URL on the server, with the rights the service needs. */
export async function prepareLog({ adminFile }: { readonly adminFile: string }): Promise<void> {
  const { SVC_EVENTSTORE_URL: url } = readConfig(process.env);
  const credentials = url === undefined ? null : parseConnectionString(url).credentials;
  if (credentials === null) {
    throw new Error(
      'SVC_EVENTSTORE_URL must name the user and password that the service is to have.',
    );
  }
  const adminUrl = (await readFile(adminFile, 'utf8')).trim();
  await prepareServer({ adminUrl, ...credentials });
  process.stdout.write(
    `The user ${credentials.username} may read $all, and read and append to streams.\n`,
  );
}
