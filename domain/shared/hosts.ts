/** A host as settings, headers and addresses name it. */
export interface Host {
  readonly kind: 'ipv4' | 'ipv6' | 'name';
  /** Canonical: lower case, without brackets and trailing dot, international names in ASCII. */
  readonly name: string;
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
/** IPv4-mapped IPv6 address, canonical (RFC 4291 §2.5.5.2). */
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * Reads a host: an IPv4 address, an IPv6 address with or without brackets, or a name, with or without a trailing dot.
 * An IPv4-mapped address is the IPv4 address it is. Ports, zones (`%eth0`) and numbers that only resemble an address
 * (`0x7f.1`, `127.1`, `010.0.0.1`) are no host.
 *
 * @returns null: no host
 */
export function readHost(text: string): Host | null {
  const inner = /^\[(.*)\]$/.exec(text)?.[1];
  if (inner !== undefined || text.includes(':')) return ipv6(inner ?? text);
  if (IPV4.test(text)) return { kind: 'ipv4', name: text };
  return hostName(text);
}

function ipv6(text: string): Host | null {
  if (!/^[0-9a-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]/`)) return null;
  const name = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const [, high, low] = MAPPED.exec(name) ?? [];
  if (high === undefined || low === undefined) return { kind: 'ipv6', name };
  const bytes = [high, low].flatMap((word) => {
    const value = Number.parseInt(word, 16);
    return [value >> 8, value & 0xff];
  });
  return { kind: 'ipv4', name: bytes.join('.') };
}

function hostName(text: string): Host | null {
  if (text === '' || /[\s/\\?#@%]/.test(text) || !URL.canParse(`https://${text}/`)) return null;
  const name = new URL(`https://${text}/`).hostname.replace(/\.$/, '');
  // The parser of URLs makes an address of what resembles one.
  const isName = name.length <= 253 && name.split('.').every((label) => LABEL.test(label));
  return isName && !IPV4.test(name) ? { kind: 'name', name } : null;
}

/** Writes a host as an address (URL) does: IPv6 in brackets. */
export function hostInUrl({ kind, name }: Host): string {
  return kind === 'ipv6' ? `[${name}]` : name;
}

/** Writes the origin of a host and a port. */
export function originOf(scheme: 'http' | 'https', host: Host, port: number): string {
  return `${scheme}://${hostInUrl(host)}:${port}`;
}

/** Reads a host and the port after it, as in a `Host` header. @returns null: neither */
export function readHostAndPort(
  text: string,
): { readonly host: Host; readonly port: number | null } | null {
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = readHost(name);
  if (host === null || Number(port ?? 0) > 65_535) return null;
  return { host, port: port === undefined ? null : Number(port) };
}

/** Writes a host and its port as a `Host` header does. */
export function writeHostAndPort(host: Host, port: number | null): string {
  return port === null ? hostInUrl(host) : `${hostInUrl(host)}:${port}`;
}

/** The host by which this machine reaches what listens there. */
export function reachedAt(host: Host): Host {
  return isUnspecified(host) ? { kind: 'ipv4', name: '127.0.0.1' } : host;
}

/** True for the addresses that stand for all of this machine's: `0.0.0.0` and `::`. */
function isUnspecified({ name }: Host): boolean {
  return name === '0.0.0.0' || name === '::';
}

/** True for names and addresses of this machine, in an address: `localhost`, `127.0.0.1`, `[::1]`. */
export function isLoopback(hostname: string): boolean {
  const name = readHost(hostname)?.name;
  return name === 'localhost' || name === '127.0.0.1' || name === '::1';
}

/** An address or CIDR block, or a sentence that says why it is none. */
export type ReadBlock = { readonly block: string } | { readonly fault: string };

/** Reads an IP address or a CIDR block (RFC 4632), canonical. One of everybody, or with bits beyond its prefix, is refused. */
export function readAddressBlock(text: string): ReadBlock {
  const [address = '', prefix, ...rest] = text.split('/');
  const host = readHost(address);
  if (host === null || host.kind === 'name' || rest.length > 0) {
    return { fault: `${text} is neither an IP address nor a CIDR block` };
  }
  if (prefix === undefined) return { block: host.name };
  const bits = host.kind === 'ipv4' ? 32 : 128;
  // The prefix of an IPv4-mapped block counts the 96 bits before the address.
  const mapped = host.kind === 'ipv4' && address.includes(':') ? 96 : 0;
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) - mapped : -1;
  if (length < 0 || length > bits) {
    return { fault: `${text} has no prefix of 1 to ${bits + mapped} bits` };
  }
  return readBlock(text, host, length);
}

function readBlock(text: string, host: Host, length: number): ReadBlock {
  const bits = host.kind === 'ipv4' ? 32 : 128;
  if (length === 0)
    return { fault: `${text} contains every address: leave the list empty instead` };
  const value = valueOf(host);
  const beyond = value & ((1n << BigInt(bits - length)) - 1n);
  if (beyond === 0n) return { block: `${host.name}/${length}` };
  return {
    fault: `${text} has bits beyond its prefix of ${text.split('/')[1] ?? ''}: write the first address of the block`,
  };
}

function valueOf({ kind, name }: Host): bigint {
  if (kind === 'ipv4') return joined(name.split('.').map(Number), 8n);
  const [before = '', after] = name.split('::');
  const words = (part: string) =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const [head, tail] = [words(before), words(after ?? '')];
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  return joined([...head, ...zeros, ...tail], 16n);
}

function joined(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((value, part) => (value << bits) | BigInt(part), 0n);
}
