import { isIP } from 'node:net';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import type { ConnectionSettings } from './connectionString.ts';

/** Part of the library's connector that it makes a TLS connection from. */
interface Connector {
  readonly connectionOptions?: { servername?: string };
}

/** Credentials of the channel to a node: TLS, or none. */
export function channelCredentialsOf({ tls }: Pick<ConnectionSettings, 'tls'>): ChannelCredentials {
  if (tls === null) return credentials.createInsecure();
  const { certificateAuthorities, clientKey, clientCertificate } = tls;
  const secure = credentials.createSsl(certificateAuthorities, clientKey, clientCertificate);
  const connectorOf = secure._createSecureConnector.bind(secure);
  secure._createSecureConnector = (...target) => {
    const connector = connectorOf(...target);
    // An address is no server name (RFC 6066 §3), and Node.js warns of one; the certificate is checked against the host.
    const { connectionOptions } = connector as Connector;
    if (isIP(connectionOptions?.servername ?? '') !== 0) delete connectionOptions?.servername;
    return connector;
  };
  return secure;
}
