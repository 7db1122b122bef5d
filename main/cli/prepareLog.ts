import { readFile } from 'node:fs/promises';
import { startPatiently } from '../composition/patientStart.ts';
import { parseConnectionString } from '../../infrastructure/eventstore/eventStoreDb/connectionString.ts';
import { commandConfig } from './openService.ts';
import { prepareServer } from '../../infrastructure/eventstore/eventStoreDb/prepareServer.ts';
import { commandPatience } from './waiting.ts';

/** Creates the users of SVC_EVENTSTORE_URL and SVC_EVENTSTORE_ARCHIVE_URL on the server, with the rights they need. */
export async function prepareLog({ adminFile }: { readonly adminFile: string }): Promise<void> {
  const config = commandConfig();
  const service = credentialsOf(config.SVC_EVENTSTORE_URL);
  const archive = credentialsOf(config.SVC_EVENTSTORE_ARCHIVE_URL);
  if (service === null) {
    throw new Error(
      'SVC_EVENTSTORE_URL must contain the user and password that the service will use.',
    );
  }
  const adminUrl = (await readFile(adminFile, 'utf8')).trim();
  await startPatiently(
    () => prepareServer({ adminUrl, service, archive }),
    commandPatience(config),
  );
  process.stdout.write(
    `The user ${service.username} may read $all, and read and append to streams.\n`,
  );
  if (archive === null) return;
  process.stdout.write(`The user ${archive.username} may read $all, and delete streams.\n`);
}

function credentialsOf(url: string | undefined) {
  return url === undefined ? null : parseConnectionString(url).credentials;
}
