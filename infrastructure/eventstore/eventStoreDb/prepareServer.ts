import { randomUUID } from 'node:crypto';
import usersGrpc from '@eventstore/db-client/generated/users_grpc_pb.js';
import usersPb from '@eventstore/db-client/generated/users_pb.js';
import { createEventStoreDbEventLog } from '../eventStoreDbEventLog.ts';
import { accessOf, connectToLeader } from './connection.ts';
import { type ConnectionSettings, parseConnectionString } from './connectionString.ts';

import { CallFailed, callFailure } from './outcomes.ts';
import { targetOf } from './preflight.ts';

const CONNECT_MS = 10_000;

export interface ServerRights {
  /** Connection string of an administrator of the server: `esdb://admin:…`. */
  readonly adminUrl: string;
  readonly service: Credentials;
  /** User that archives; `null`: none. */
  readonly archive: Credentials | null;
}

type Credentials = NonNullable<ConnectionSettings['credentials']>;

/**
 * Creates the users unless they exist, and grants the least rights: the service reads `$all`, reads and appends to
 * non-system streams; what archives reads `$all` and deletes non-system streams, as administrators alone may besides.
 *
 * @throws CallFailed when the administrator's call is refused or no leader answers
 */
export async function prepareServer(rights: ServerRights): Promise<void> {
  const { adminUrl, service, archive } = rights;
  await createUser(adminUrl, service, 'Tamga, the service');
  if (archive !== null) await createUser(adminUrl, archive, 'Tamga, the archive');
  const log = createEventStoreDbEventLog({ url: adminUrl });
  await log.start();
  try {
    const readers = [service.username, '$admins'];
    const deleters = archive === null ? ['$admins'] : [archive.username, '$admins'];
    const all = [...new Set([...readers, ...deleters])];
    // Roles of $acl: read, write, delete, read metadata, write metadata.
    await log.append(
      '$$$all',
      [setting('$metadata', { $acl: { $r: all, $mr: '$admins' } })],
      'any',
    );
    const guarded = { $mr: '$admins', $mw: '$admins' };
    const byDefault = {
      $userStreamAcl: { $r: readers, $w: readers, $d: deleters, ...guarded },
      $systemStreamAcl: { $r: '$admins', $w: '$admins', $d: '$admins', ...guarded },
    };
    await log.append('$settings', [setting('settings', byDefault)], 'any');
  } finally {
    await log.stop();
  }
}

async function createUser(
  adminUrl: string,
  { username, password }: Credentials,
  fullName: string,
): Promise<void> {
  const settings = parseConnectionString(adminUrl);
  const leader = await connectToLeader(settings, { hint: null, left: null }, CONNECT_MS);
  const access = accessOf(settings);
  const client = new usersGrpc.UsersClient(
    targetOf(leader.endpoint),
    access.credentials,
    access.options,
  );
  const options = new usersPb.CreateReq.Options();
  options.setLoginName(username).setPassword(password).setFullName(fullName);
  const request = new usersPb.CreateReq().setOptions(options);
  try {
    await new Promise<void>((resolve, reject) => {
      const call = { deadline: Date.now() + CONNECT_MS };
      client.create(request, access.metadata, call, (error) => (error ? reject(error) : resolve()));
    });
  } catch (error) {
    const failure = callFailure(error);
    if (failure.outcome !== 'UserExists') throw failure;
  } finally {
    client.close();
    leader.close(new CallFailed('Cancelled', 'done'));
  }
}

function setting(type: string, data: object) {
  return { id: randomUUID(), type, data: JSON.stringify(data), metadata: '{}' };
}
