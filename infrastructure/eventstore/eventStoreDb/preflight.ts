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
  try {
    await once(session, 'remoteSettings', { signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    const why = error instanceof Error && error.name === 'AbortError' ? 'no answer' : String(error);
    throw new CallFailed('Unavailable', `${targetOf(node)}: ${why}`);
  } finally {
    session.destroy();
  }
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
