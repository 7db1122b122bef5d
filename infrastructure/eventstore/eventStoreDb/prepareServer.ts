import { randomUUID } from 'node:crypto';
import usersGrpc from '@eventstore/db-client/generated/users_grpc_pb.js';
import usersPb from '@eventstore/db-client/generated/users_pb.js';
import { Unavailable } from '../../../application/ports/faults.ts';
import { createEventStoreDbEventLog } from '../eventStoreDbEventLog.ts';
import { accessOf, connectToLeader } from './connection.ts';
import { type ConnectionSettings, parseConnectionString } from './connectionString.ts';
import { CallFailed, callFailure, unknownUser } from './outcomes.ts';
import { targetOf } from './preflight.ts';

const TIMEOUT_MS = 10_000;

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
 * @throws Error when the administrator is refused; Unavailable when no leader answers; CallFailed
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
  const leader = await connectToLeader(settings, { hint: null, left: null }, TIMEOUT_MS).catch(
    (error: unknown) => {
      throw administratorRefused(error);
    },
  );
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
      const call = { deadline: Date.now() + TIMEOUT_MS };
      client.create(request, access.metadata, call, (error) => (error ? reject(error) : resolve()));
    });
  } catch (error) {
    if (callFailure(error).outcome !== 'UserExists') throw administratorRefused(error);
  } finally {
    client.close();
    leader.close(new CallFailed('Cancelled', 'done'));
  }
}

/** Error of a call that only an administrator's connection string is allowed. */
function administratorRefused(error: unknown): Error {
  const failure = callFailure(error);
  if (failure.action === 'reconnect' || failure.action === 'repeat') {
    return new Unavailable('eventStore', failure);
  }
  if (failure.action !== 'denied') return failure;
  return (
    unknownUser(failure) ??
    new Error(
      'EventStoreDB lets administrators alone create users and grant rights: name one in --admin-file (docs/eventstoredb.md, Rights).',
      { cause: failure },
    )
  );
}

function setting(type: string, data: object) {
  return { id: randomUUID(), type, data: JSON.stringify(data), metadata: '{}' };
}
