import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { openssl } from '../programs/openssl.ts';

/** TLS in front of a node of the double. */
export interface TlsFront {
  readonly port: number;
  /** Path of the certificate, which is its own authority. */
  readonly certificatePath: string;
  /** Server names (SNI) that clients sent; null: none. */
  readonly serverNames: readonly (string | null)[];
  stop(): Promise<void>;
}

/**
 * Listens with TLS on a free port and passes all on to the node.
 *
 * @param altNames hosts the certificate names, as OpenSSL writes them
 */
export async function startTlsFront(
  nodePort: number,
  altNames = 'IP:127.0.0.1,DNS:localhost',
): Promise<TlsFront> {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-node-tls-'));
  const certificatePath = join(directory, 'cert.pem');
  const keyPath = join(directory, 'key.pem');
  await openssl(
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', keyPath, '-out', certificatePath, '-days', '2', '-subj', '/CN=node'],
    ...['-addext', `subjectAltName=${altNames}`],
  );
  const serverNames: (string | null)[] = [];
  const open = new Set<TLSSocket>();
  const [key, cert] = [await readFile(keyPath), await readFile(certificatePath)];
  const server = createServer({ key, cert, ALPNProtocols: ['h2'] }, (client) => {
    serverNames.push(client.servername === false ? null : client.servername);
    open.add(client);
    const node = createConnection(nodePort, '127.0.0.1');
    client.on('error', () => node.destroy());
    client.on('close', () => open.delete(client));
    node.on('error', () => client.destroy());
    client.pipe(node).pipe(client);
  });
  server.on('tlsClientError', (_error, client) => client.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    certificatePath,
    serverNames,
    async stop() {
      for (const client of open) client.destroy();
      server.close();
      await rm(directory, { recursive: true });
    },
  };
}
