import { Resolver } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** An address, or one that a name resolves to, is not of a public network. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';

  constructor() {
    super('The address belongs to a private network.');
  }
}

export interface GuardOptions {
  /** True for development alone: receivers run on the machine itself. */
  readonly reachesPrivateNetworks: boolean;
  /** Resolves a name to all of its addresses; default: DNS. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

/** Lookup of connections, which lets them reach checked addresses alone. */
export interface GuardedLookup extends LookupFunction {
  /** Checks a host that is an address itself, which no connection looks up. @throws RefusedAddress */
  check(hostname: string): void;
}

/** Special-purpose blocks (IANA registries, RFC 6890): everything that is not a public unicast address. */
const privateBlocks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];

/** Public unicast addresses of IPv6 (RFC 4291 §2.4), and what of them leads elsewhere. */
const publicIPv6 = '2000::/3';
const privateIPv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const closed = blockList(privateBlocks, privateIPv6);
const open = blockList([], [publicIPv6]);

function blockList(ipv4: readonly string[], ipv6: readonly string[]): BlockList {
  const list = new BlockList();
  const add = (blocks: readonly string[], family: 'ipv4' | 'ipv6') => {
    for (const block of blocks) {
      const [net = '', prefix = ''] = block.split('/');
      list.addSubnet(net, Number(prefix), family);
    }
  };
  add(ipv4, 'ipv4');
  add(ipv6, 'ipv6');
  return list;
}

/** True for an address that everybody on the Internet reaches. IPv4 within IPv6 is none. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !closed.check(address, 'ipv4');
  return open.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}

/** c-ares holds no thread of the process, and gives up by itself. */
async function resolveByDns(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const [first] = found;
  if (addresses.length === 0) throw first.status === 'rejected' ? first.reason : new Error(name);
  return addresses;
}

/** Resolves names for connections: all addresses of a name must be public, since it chooses among them. */
export function createGuardedLookup({
  reachesPrivateNetworks,
  resolve = resolveByDns,
}: GuardOptions): GuardedLookup {
  async function resolved(name: string): Promise<readonly string[]> {
    if (reachesPrivateNetworks && name === 'localhost') return ['127.0.0.1'];
    const addresses = await resolve(name);
    if (!reachesPrivateNetworks && !addresses.every(isPublic)) throw new RefusedAddress();
    return addresses;
  }

  const lookup: LookupFunction = (name, { all = false }, callback) => {
    resolved(name).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first = { address: '', family: 0 }] = found;
        if (all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, []),
    );
  };
  return Object.assign(lookup, {
    check(hostname: string) {
      const host = hostname.replace(/^\[(.*)\]$/, '$1');
      if (!reachesPrivateNetworks && isIP(host) !== 0 && !isPublic(host))
        throw new RefusedAddress();
    },
  });
}
