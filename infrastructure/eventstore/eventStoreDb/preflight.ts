import { once } from 'node:events';
import { connect } from 'node:http2';
import type { ConnectionSettings, Endpoint } from './connectionString.ts';
import { CallFailed } from './outcomes.ts';

/** A node to probe; `serverName` is the name its certificate is checked against. */
export type Node = Endpoint & { readonly serverName?: string };

/**
 * Checks that a node speaks HTTP/2, over a connection of its own that is destroyed at once. A gRPC channel closed while
 * connecting keeps its socket open until the node answers, which an unresponsive node never does.
 *
 * @throws CallFailed when it does not answer within the time
 */
export async function assertAnswering(
  node: Node,
  tls: ConnectionSettings['tls'],
  timeoutMs: number,
): Promise<void> {
  const session = connect(
    `${tls === null ? 'http' : 'https'}://${targetOf(node)}`,
    tls === null ? {} : tlsOptions(node, tls),
  );
  session.on('error', () => undefined);
  const ended = new AbortController();
  session.once('close', () => ended.abort(new ConnectionEnded()));
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ended.signal]);
    await once(session, 'remoteSettings', { signal });
  } catch (error) {
    throw new CallFailed('Unavailable', `${targetOf(node)}: ${reasonOf(error, tls !== null)}`);
  } finally {
    session.destroy();
  }
}

const UNTRUSTED =
  'its certificate was issued by an authority that is not trusted: name the authority in tlsCaFile';
const NO_TLS = 'it does not use TLS: set tls=false for such a server';
const NEEDS_CLIENT = 'it asks for a client certificate: name one in userCertFile and userKeyFile';

/** Causes an operator can remove, by the code of the error. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name does not exist',
  EAI_AGAIN: 'its name cannot be resolved at the moment',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate names other hosts',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: NEEDS_CLIENT,
};

/** The node ended the connection before it spoke HTTP/2. */
class ConnectionEnded extends Error {
  override readonly name = 'ConnectionEnded';
}

function reasonOf(error: unknown, isTls: boolean): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'AbortError' && !(error.cause instanceof ConnectionEnded)) return 'no answer';
  const { code = '' } = error as NodeJS.ErrnoException;
  const reason = reasons[code];
  if (reason !== undefined) return `${reason} (${error.message})`;
  const isCutOff =
    error.name === 'AbortError' || code === 'ECONNRESET' || code.startsWith('ERR_HTTP2');
  if (!isCutOff) return String(error);
  return `it closed the connection at once; perhaps ${isTls ? NEEDS_CLIENT : 'it accepts only TLS: set tls=true'}`;
}

function tlsOptions({ serverName }: Node, tls: NonNullable<ConnectionSettings['tls']>) {
  const { certificateAuthorities, clientCertificate, clientKey } = tls;
  return {
    ...(certificateAuthorities !== null && { ca: certificateAuthorities }),
    ...(clientCertificate !== null && { cert: clientCertificate }),
    ...(clientKey !== null && { key: clientKey }),
    ...(serverName !== undefined && { servername: serverName }),
  };
}

/** Address of a node in gRPC's format. */
export function targetOf({ address, port }: Endpoint): string {
  return address.includes(':') && !address.startsWith('[')
    ? `[${address}]:${port}`
    : `${address}:${port}`;
}
