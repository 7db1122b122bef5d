import { z } from 'zod';
import { type Host, isLoopback } from '../../domain/shared/hosts.ts';
import { hostName, hostsIn } from './addresses.ts';
import { list, setting } from './settings.ts';

/** Settings about the connections to servers behind the platform. */
export const connectionSettings = {
  SVC_PLAINTEXT_HOSTS: setting(
    list.pipe(z.array(hostName)).default([]),
    'Hosts of PostgreSQL, Redis, EventStoreDB and the virus scanner that production may reach without TLS, comma-separated. Use it only for a private network, such as that of containers on one machine.',
    'none',
  ),
};

/** Encryption by setting: read from its address, and the advice without it; null: its protocol has none. */
const encryption = {
  SVC_DATABASE_URL: {
    isEncrypted: ({ searchParams }) =>
      ['require', 'verify-ca', 'verify-full'].includes(searchParams.get('sslmode') ?? ''),
    remedy: 'add `sslmode=verify-full`',
  },
  SVC_REDIS_URL: {
    isEncrypted: ({ protocol }) => protocol === 'rediss:',
    remedy: 'use `rediss://`',
  },
  SVC_EVENTSTORE_URL: {
    isEncrypted: ({ searchParams }) => searchParams.get('tls') !== 'false',
    remedy: 'leave out `tls=false`',
  },
  SVC_EVENTSTORE_ARCHIVE_URL: {
    isEncrypted: ({ searchParams }) => searchParams.get('tls') !== 'false',
    remedy: 'leave out `tls=false`',
  },
  SVC_FILE_SCANNER: { isEncrypted: () => false, remedy: null },
} as const satisfies Readonly<
  Record<
    string,
    { readonly isEncrypted: (address: URL) => boolean; readonly remedy: string | null }
  >
>;

type ConnectionConfig = { readonly SVC_PLAINTEXT_HOSTS: readonly string[] } & {
  readonly [Name in keyof typeof encryption]?: string | undefined;
};

/** Faults of connections that leave this machine unencrypted. */
export function unsafeConnections(config: ConnectionConfig): readonly string[] {
  return Object.entries(encryption).flatMap(([name, { isEncrypted, remedy }]) => {
    const given = config[name as keyof typeof encryption];
    if (given === undefined) return [];
    // One node stands for several: what is read from the address is said of all.
    const address = new URL(given.replace(/^([\w+]+:\/\/[^/?]*?),[^/?]*/, '$1'));
    const isNamed = ({ name: host }: Host) => config.SVC_PLAINTEXT_HOSTS.includes(host);
    const areNear = hostsIn(given).every((host) => isOfThisMachine(host) || isNamed(host));
    if (areNear || isEncrypted(address)) return [];
    const or = 'name its host in SVC_PLAINTEXT_HOSTS if nobody else uses the network in between';
    const what = remedy === null ? or : `${remedy}, or ${or}`;
    return [`${name}: must be encrypted beyond this machine in production: ${what}`];
  });
}

function isOfThisMachine({ kind, name }: Host): boolean {
  return isLoopback(name) || (kind === 'ipv4' && name.startsWith('127.'));
}
