import { readFileSync } from 'node:fs';
import { readHost } from '../../../domain/shared/hosts.ts';

/** Address of a node's gRPC endpoint. */
export interface Endpoint {
  /** Host without brackets. */
  readonly address: string;
  readonly port: number;
}

/** Settings of a connection string, with our defaults. Times in ms. */
export interface ConnectionSettings {
  readonly seeds: readonly Endpoint[];
  /** The seeds are DNS names of the cluster, resolved for each discovery, instead of nodes. */
  readonly isDnsDiscovery: boolean;
  readonly credentials: { readonly username: string; readonly password: string } | null;
  /** `null`: without TLS. The certificates are PEM. */
  readonly tls: {
    readonly certificateAuthorities: Buffer | null;
    readonly clientCertificate: Buffer | null;
    readonly clientKey: Buffer | null;
  } | null;
  readonly keepAliveIntervalMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly gossipTimeoutMs: number;
  /** Shown in the server's list of connections. */
  readonly connectionName: string;
}

/** An invalid connection string; the message is one sentence and never quotes the string. */
export class InvalidConnectionString extends Error {
  override readonly name = 'InvalidConnectionString';
}

const SHAPE =
  /^(?<scheme>[a-z+]+):\/\/(?:(?<userInfo>[^/?]*)@)?(?<hosts>[^/?]*)(?<path>[^?]*)(?:\?(?<options>.*))?$/i;
const HOST = /^(?<address>\[[^\]]*\]|[^:]*)(?::(?<port>.*))?$/;
const SCHEMES = ['esdb', 'kurrentdb'];
const DEFAULT_PORT = 2113;

/** Options of the official clients; `null`: accepted and ignored, since the log is only used at the leader. */
const options = {
  tls: 'tls',
  tlscafile: 'tlsCaFile',
  usercertfile: 'userCertFile',
  userkeyfile: 'userKeyFile',
  connectionname: 'connectionName',
  keepaliveinterval: 'keepAliveInterval',
  keepalivetimeout: 'keepAliveTimeout',
  gossiptimeout: 'gossipTimeout',
  nodepreference: 'nodePreference',
  tlsverifycert: 'tlsVerifyCert',
  defaultdeadline: null,
  discoveryinterval: null,
  maxdiscoverattempts: null,
  throwonappendfailure: null,
} as const;

type Option = Exclude<(typeof options)[keyof typeof options], null>;

/**
 * Parses a connection string of EventStoreDB or KurrentDB: `esdb://user:password@a:2113,b:2113?tls=true`. With
 * `+discover` in the scheme the host is a DNS name of the cluster.
 *
 * @param readFile reads the certificates that are named
 * @throws InvalidConnectionString
 */
export function parseConnectionString(
  text: string,
  readFile: (path: string) => Buffer = readFileSync,
): ConnectionSettings {
  const { scheme = '', userInfo, hosts = '', path = '', options: optionText = '' } = partsOf(text);
  const isDnsDiscovery = parseScheme(scheme);
  const credentials = credentialsOf(userInfo);
  expectNoPath(path);
  const seeds = hosts.split(',').map(parseHost);
  if (isDnsDiscovery && seeds.length > 1) {
    throw invalid('with +discover it must name one host, the DNS name of the cluster');
  }
  const given = parseOptions(optionText);
  refuseUnsafe(given);
  return {
    seeds,
    isDnsDiscovery,
    credentials,
    tls: isOn(given, 'tls') ? tlsOf(given, readFile) : null,
    keepAliveIntervalMs: milliseconds(given, 'keepAliveInterval', 5000),
    keepAliveTimeoutMs: milliseconds(given, 'keepAliveTimeout', 3000),
    gossipTimeoutMs: Math.min(1000 * seconds(given, 'gossipTimeout', 1), 5000),
    connectionName: given.get('connectionName') ?? 'tamga',
  };
}

function partsOf(text: string): Readonly<Record<string, string | undefined>> {
  const parts = SHAPE.exec(text.trim())?.groups;
  if (parts !== undefined) return parts;
  throw invalid('it must look like esdb://user:password@host:2113,host:2113?tls=true');
}

function expectNoPath(path: string): void {
  if (path.includes('@')) throw notEncoded();
  if (path !== '' && path !== '/')
    throw invalid('after its hosts it must have ? and options, not a path');
}

/** @returns true when the host is a DNS name of the cluster */
function parseScheme(text: string): boolean {
  const [scheme = '', discover] = text.toLowerCase().split('+');
  if (SCHEMES.includes(scheme) && (discover === undefined || discover === 'discover')) {
    return discover !== undefined;
  }
  throw invalid('its scheme must be esdb, esdb+discover, kurrentdb or kurrentdb+discover');
}

function credentialsOf(userInfo: string | undefined) {
  if (userInfo === undefined) return null;
  if (userInfo.includes('@')) throw notEncoded();
  const [username = '', ...rest] = userInfo.split(':');
  const password = rest.join(':');
  if (username === '') throw invalid('it has no user before @: write user:password@host');
  if (password === '') {
    throw invalid('it names a user without a password: write user:password@host');
  }
  return { username: decode(username, 'user'), password: decode(password, 'password') };
}

function notEncoded(): InvalidConnectionString {
  return invalid('@, / and ? in its user or password must be percent-encoded: %40, %2F, %3F');
}

function refuseUnsafe(given: ReadonlyMap<Option, string>): void {
  if ((given.get('nodePreference')?.toLowerCase() ?? 'leader') !== 'leader') {
    throw invalid(
      'nodePreference must be leader, because the log is read and written at the leader only',
    );
  }
  if (!isOn(given, 'tlsVerifyCert')) {
    throw invalid(
      'tlsVerifyCert=false is refused: name the certificate of the CA in tlsCaFile instead',
    );
  }
}

function parseHost(text: string): Endpoint {
  const refused = (why: string) =>
    invalid(`write each host as name or name:port, separated by commas: ${why}`);
  const host = text.trim();
  if (host === '') throw refused('one is missing');
  if (/^[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*$/i.test(host)) {
    throw refused('write an IPv6 address in brackets, as in [::1]:2113');
  }
  const { address, port = String(DEFAULT_PORT) } = HOST.exec(host)?.groups ?? {};
  const read = readHost(address ?? '');
  if (read === null) throw refused('one is neither a host name nor an IP address, or has a zone');
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw refused('a port must be a number from 1 to 65535');
  }
  return { address: read.name, port: Number(port) };
}

function parseOptions(text: string): ReadonlyMap<Option, string> {
  const given = new Map<Option, string>();
  for (const pair of text.split('&').filter((part) => part !== '')) {
    const [key = '', value = ''] = pair.split('=', 2);
    const flat = key.toLowerCase().replaceAll(/[_-]/gu, '');
    if (!(flat in options)) throw invalid(`it has the unknown option ${key}`);
    const option = options[flat as keyof typeof options];
    if (option !== null) given.set(option, decode(value, key));
  }
  return given;
}

/** Value of an option that is on unless it is `false`. */
function isOn(given: ReadonlyMap<Option, string>, option: Option): boolean {
  const value = (given.get(option) ?? 'true').toLowerCase();
  if (value !== 'true' && value !== 'false') throw invalid(`${option} must be true or false`);
  return value === 'true';
}

function tlsOf(given: ReadonlyMap<Option, string>, readFile: (path: string) => Buffer) {
  const file = (option: Option) => {
    const path = given.get(option);
    if (path === undefined) return null;
    try {
      return readFile(path);
    } catch {
      throw invalid(`the file of ${option}, ${path}, cannot be read`);
    }
  };
  if (given.has('userCertFile') !== given.has('userKeyFile')) {
    throw invalid('userCertFile and userKeyFile must be set together');
  }
  return {
    certificateAuthorities: file('tlsCaFile'),
    clientCertificate: file('userCertFile'),
    clientKey: file('userKeyFile'),
  };
}

function milliseconds(
  given: ReadonlyMap<Option, string>,
  option: Option,
  otherwise: number,
): number {
  const value = given.get(option);
  if (value === undefined) return otherwise;
  const parsed = Number(value);
  // -1 means "never" in the clients; the leader is still probed once a second.
  if (parsed === -1) return 2 ** 31 - 1;
  if (!Number.isInteger(parsed) || parsed < 1)
    throw invalid(`${option} must be a whole number of milliseconds`);
  return parsed;
}

function seconds(given: ReadonlyMap<Option, string>, option: Option, otherwise: number): number {
  const value = Number(given.get(option) ?? otherwise);
  if (!(value > 0)) throw invalid(`${option} must be a number of seconds`);
  return value;
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(`its ${what} is not percent-encoded correctly`);
  }
}

function invalid(why: string): InvalidConnectionString {
  return new InvalidConnectionString(`The EventStoreDB connection string is invalid: ${why}.`);
}
