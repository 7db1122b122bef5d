import { z } from 'zod';
import {
  type Host,
  isLoopback,
  readAddressBlock,
  readHost,
  readHostAndPort,
  writeHostAndPort,
} from '../../domain/shared/hosts.ts';
import { parseConnectionString } from '../eventstore/eventStoreDb/connectionString.ts';

/** Form in which a setting names a host. */
export type AddressForm =
  /** Addresses of the web; `base`: others are made by adding a path; `identifier`: kept and compared as it is. */
  | 'base'
  | 'endpoint'
  | 'identifier'
  | 'http'
  /** Connection strings. */
  | 'postgres'
  | 'redis'
  | 'eventStore'
  | 'socket'
  /** Hosts alone. */
  | 'host'
  | 'hostAndPort'
  | 'block';

/** Schemas of addresses, by which the settings that hold one are found. */
const forms = z.registry<{ readonly form: AddressForm }>();

/** The form of the addresses a setting holds; null: it holds none. */
export function addressFormOf(schema: z.core.$ZodType): AddressForm | null {
  const registered = forms.get(schema);
  if (registered !== undefined) return registered.form;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return addressFormOf(schema.unwrap());
  }
  if (schema instanceof z.ZodArray) return addressFormOf(schema.element);
  return schema instanceof z.ZodPipe
    ? (addressFormOf(schema.in) ?? addressFormOf(schema.out))
    : null;
}

/** Value of an address, or the fault, which never quotes it: it may hold a password. */
type Read<Value = string> = { readonly value: Value } | { readonly fault: string };

/** Schema of texts that are read into their canonical form. */
function readBy<Value>(form: AddressForm, read: (text: string) => Read<Value>) {
  return z
    .string()
    .transform((text, context): Value => {
      const outcome = read(text.trim());
      if ('value' in outcome) return outcome.value;
      context.addIssue({ code: 'custom', message: outcome.fault });
      return z.NEVER;
    })
    .register(forms, { form });
}

const NO_HOST =
  'must name a host: a name, an IPv4 address, or an IPv6 address in brackets without a zone; then its port, if any';

interface Parts {
  /** Lower case. */
  readonly scheme: string;
  /** With its `@`; empty: none. */
  readonly credentials: string;
  readonly authority: string;
  /** Path and query. */
  readonly rest: string;
}

function partsOf(text: string): Parts | null {
  const [, scheme, authority = '', rest = ''] =
    /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/isu.exec(text) ?? [];
  if (scheme === undefined) return null;
  const at = authority.lastIndexOf('@') + 1;
  return {
    scheme: scheme.toLowerCase(),
    credentials: authority.slice(0, at),
    authority: authority.slice(at),
    rest,
  };
}

/** Writes the host and port of an address canonically; null: there is none. */
function written(authority: string): string | null {
  const read = readHostAndPort(authority);
  return read === null || read.port === 0 ? null : writeHostAndPort(read.host, read.port);
}

function readWeb(text: string, schemes: readonly string[]): Read<URL> {
  const parts = partsOf(text);
  if (parts === null || !schemes.includes(parts.scheme)) {
    return { fault: `must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}` };
  }
  if (parts.credentials !== '') return { fault: 'must have no user or password' };
  const host = written(parts.authority);
  const address = `${parts.scheme}://${host ?? ''}${parts.rest}`;
  return host === null || !URL.canParse(address) ? { fault: NO_HOST } : { value: new URL(address) };
}

function readBase(text: string, schemes: readonly string[]): Read {
  const read = readWeb(text, schemes);
  if ('fault' in read) return read;
  return /[?#]/u.test(text)
    ? { fault: 'must have no ? or #: paths are added to it' }
    : { value: read.value.href.replace(/\/+$/u, '') };
}

function readEndpoint(text: string): Read {
  const read = readWeb(text, ['https', 'http']);
  return 'fault' in read ? read : { value: read.value.href };
}

/** Address of the web that paths are added to; without a slash at its end. */
export const url = readBy('base', (text) => readBase(text, ['https', 'http']));
/** The same, for what certificates name. */
export const httpUrl = readBy('http', (text) => readBase(text, ['http']));
/** Address of the web with its path. */
export const endpoint = readBy('endpoint', readEndpoint);
/** An endpoint that is encrypted beyond this machine. */
export const secureEndpoint = readBy('endpoint', (text) => {
  const read = readEndpoint(text);
  return 'fault' in read || isSecure(read.value)
    ? read
    : { fault: 'must be https beyond this machine' };
});
/** Address of any scheme that is handed on or compared as it is; that of the web names a host. */
export const identifier = readBy('identifier', (text) => {
  const read: Read<unknown> = /^https?:/iu.test(text)
    ? readWeb(text, ['https', 'http'])
    : URL.canParse(text)
      ? { value: null }
      : { fault: 'must be an address with its scheme' };
  return 'fault' in read ? read : { value: text };
});

/** A Unix socket takes the host's place: as a parameter, or percent-encoded. */
const isSocket = (host: string) => host.startsWith('/') || /^%2f/iu.test(host);

const parametersOf = (rest: string) => new URLSearchParams(rest.split('?')[1]);

/** Connection string of PostgreSQL: libpq's URI, with one host, in its place or as parameter. */
export const postgresUrl = readBy('postgres', (text) => {
  const parts = partsOf(text);
  if (parts === null || !['postgres', 'postgresql'].includes(parts.scheme)) {
    return { fault: 'must begin with postgres:// or postgresql://' };
  }
  const { scheme, credentials, authority, rest } = parts;
  const parameter = parametersOf(rest).get('host');
  const isElsewhere = isSocket(authority) || (authority === '' && parameter !== null);
  const host = isElsewhere ? authority : written(authority);
  const address = `${scheme}://${credentials}${host ?? ''}${rest}`;
  if (host === null || !URL.canParse(address)) return { fault: NO_HOST };
  return parameter === null || isSocket(parameter)
    ? { value: address }
    : withHostParameter(new URL(address), parameter);
});

/** The client takes the parameter as it is, so without brackets. */
function withHostParameter(address: URL, parameter: string): Read {
  const host = readHost(parameter);
  if (host === null) return { fault: NO_HOST };
  address.searchParams.set('host', host.name);
  return { value: address.href };
}

/** Connection string of Redis: `redis://[user:password@]host[:port][/database]`, or `rediss://`. */
export const redisUrl = readBy('redis', (text) => {
  const parts = partsOf(text);
  if (parts === null || !['redis', 'rediss'].includes(parts.scheme)) {
    return { fault: 'must begin with redis:// or rediss://' };
  }
  const { scheme, credentials, authority, rest } = parts;
  const host = written(authority);
  const address = `${scheme}://${credentials}${host ?? ''}${rest}`;
  if (host === null || !URL.canParse(address)) return { fault: NO_HOST };
  return /^(?:\/\d*)?$/u.test(rest)
    ? { value: address }
    : { fault: 'must have only the number of a database after its host' };
});

/** Connection string of EventStoreDB or KurrentDB. */
export const eventStoreUrl = readBy('eventStore', (text) => {
  try {
    parseConnectionString(text);
    return { value: text };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
});

/** Socket of a daemon: `tcp://host:port` or `unix:///path`. */
export const socketUrl = readBy('socket', (text) => {
  if (/^unix:\/\/\/\S+$/u.test(text)) return { value: text };
  const parts = partsOf(text);
  const read = parts?.scheme === 'tcp' ? readHostAndPort(parts.authority) : null;
  const isWhole = parts !== null && parts.credentials === '' && parts.rest === '';
  return isWhole && read !== null && read.port !== null && read.port !== 0
    ? { value: `tcp://${writeHostAndPort(read.host, read.port)}` }
    : { fault: 'must be tcp://host:port or unix:///path; an IPv6 address is written in brackets' };
});

const NO_BARE_HOST = 'must be an IP address or a host name, without a port or zone';

/** A host to listen on: an address of this machine, or a name, without a port. */
export const listenHost = readBy('host', (text): Read<Host> => {
  const host = readHost(text);
  return host === null ? { fault: NO_BARE_HOST } : { value: host };
});
/** A host by its canonical name. */
export const hostName = readBy('host', (text) => {
  const host = readHost(text);
  return host === null ? { fault: `${text} ${NO_BARE_HOST}` } : { value: host.name };
});
/** A host as browsers send it, with the port where it is none of the usual. */
export const hostWithPort = readBy('hostAndPort', (text) => {
  const host = written(text);
  return host === null
    ? { fault: `${text} is not a host such as id.example.mn:8443` }
    : { value: host };
});
/** An IP address or CIDR block; one that holds every address is refused. */
export const addressBlock = readBy('block', (text) => {
  const read = readAddressBlock(text);
  return 'block' in read ? { value: read.block } : read;
});

/** True unless the connection to this address of the web leaves the machine unencrypted. */
export function isSecure(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || isLoopback(hostname);
}

/** Hosts that an address of a setting leads to; none: a socket in the file system. */
export function hostsIn(address: string): readonly Host[] {
  const { scheme = '', authority = '', rest = '' } = partsOf(address) ?? {};
  const parameter = parametersOf(rest).get('host');
  const named = scheme.startsWith('postgres') ? (parameter ?? authority) : authority;
  if (isSocket(named)) return [];
  return named
    .split(',')
    .map((each) => readHostAndPort(each.trim())?.host ?? readHost(each.trim()))
    .filter((host) => host !== null);
}
