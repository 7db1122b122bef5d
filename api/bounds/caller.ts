import { randomBytes, X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

import { readHost } from '../../domain/shared/hosts.ts';

/** Address blocks: single addresses and CIDR blocks, IPv4 and IPv6. @throws Error naming a malformed entry */
export function addressBlocks(entries: readonly string[]): BlockList {
  const blocks = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    try {
      if (prefix === undefined) blocks.addAddress(address, family);
      else blocks.addSubnet(address, Number(prefix), family);
    } catch (cause) {
      throw new Error(`"${entry}" is neither an IP address nor a CIDR block.`, { cause });
    }
  }
  return blocks;
}

/** Checks whether `blocks` contain `address`; an unparsable address is in none. */
export function isIn(blocks: BlockList, address: string): boolean {
  return blocks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

export interface CallerOptions {
  /** Addresses and CIDR blocks of trusted proxies, whose `X-Forwarded-For` is believed. */
  readonly trustProxy: readonly string[];
  /**
   * Header in which a trusted proxy passes the client certificate, as URL-encoded PEM or as its SHA-256 fingerprint;
   * null: never read.
   */
  readonly clientCertificateHeader: string | null;
}

/** Parts of a request that identify its sender. */
export interface Called {
  readonly socket: Socket;
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** All values of each header: Node.js joins or drops repeated ones in `headers`. */
  readonly headersDistinct: IncomingMessage['headersDistinct'];
}

/** Determines address and client certificate of the caller, through trusted proxies only. */
export interface CallerReader {
  ip(request: Called): string;
  /** SHA-256 fingerprint, lower-case hexadecimal; null without a client certificate. */
  clientCertificate(request: Called): string | null;
  /** The client certificate itself, DER; null without one, and where a proxy tells its fingerprint alone. */
  wholeCertificate(request: Called): Uint8Array | null;
}

/** @param verifiedOnly accepts a certificate only when TLS verified its chain */
export function createCallerReader(options: CallerOptions, verifiedOnly: boolean): CallerReader {
  const trusted = addressBlocks(options.trustProxy);
  const behindProxies = options.trustProxy.length > 0;
  const certificateHeader = options.clientCertificateHeader?.toLowerCase() ?? null;

  function ip(request: Called): string {
    const peer = plainAddress(request.socket.remoteAddress ?? '');
    if (!behindProxies || !isIn(trusted, peer)) return peer;
    const hops = forwardedFor(request.headers);
    for (let hop = hops.pop(); hop !== undefined; hop = hops.pop()) {
      const address = plainAddress(withoutPort(hop));
      if (!isIn(trusted, address) || hops.length === 0) return address;
    }
    return peer;
  }

  /** Values of the header, of a trusted proxy alone; undefined: none, the connection decides. */
  function forwardedCertificate(request: Called): readonly string[] | undefined {
    if (certificateHeader === null || !behindProxies) return undefined;
    const peer = plainAddress(request.socket.remoteAddress ?? '');
    return isIn(trusted, peer) ? request.headersDistinct[certificateHeader] : undefined;
  }

  function peerCertificate(request: Called): { fingerprint256?: string; raw?: Buffer } {
    const socket = request.socket as Partial<TLSSocket>;
    if (socket.encrypted !== true || socket.getPeerCertificate === undefined) return {};
    if (verifiedOnly && socket.authorized !== true) return {};
    return socket.getPeerCertificate();
  }

  function clientCertificate(request: Called): string | null {
    const values = forwardedCertificate(request);
    if (values !== undefined) return onlyFingerprint(values);
    return fingerprint(peerCertificate(request).fingerprint256 ?? '');
  }

  function wholeCertificate(request: Called): Uint8Array | null {
    // The connection of a proxy has the proxy's own certificate.
    if (behindProxies && isIn(trusted, plainAddress(request.socket.remoteAddress ?? ''))) {
      const [value = '', ...others] = forwardedCertificate(request) ?? [];
      return others.length > 0 ? null : (certificateOfPem(value)?.raw ?? null);
    }
    return peerCertificate(request).raw ?? null;
  }

  return { ip, clientCertificate, wholeCertificate };
}

/**
 * Canonical form of an address: of an IPv4-mapped one, as dual-stack sockets show, the IPv4 address; without the zone of
 * a link-local one. What is no address stays as it is.
 */
export function plainAddress(address: string): string {
  // Most are IPv4 addresses, or already canonical.
  if (!address.includes(':')) return address;
  return readHost(address.replace(/%.*$/, ''))?.name ?? address;
}

/** Strips the port some proxies write: `192.0.2.1:4711`, `[2001:db8::1]:4711` (RFC 7239 §6). */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop);
  if (bracketed?.[1] !== undefined) return bracketed[1];
  return /^[\d.]+:\d{1,5}$/.test(hop) ? hop.slice(0, hop.indexOf(':')) : hop;
}

function forwardedFor(headers: Readonly<IncomingHttpHeaders>): string[] {
  const value = headers['x-forwarded-for'];
  const text = Array.isArray(value) ? value.join(',') : (value ?? '');
  return text
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '');
}

/** Null for a repeated header: a proxy that appends would leave the caller's own value first. */
function onlyFingerprint([value, ...others]: readonly string[]): string | null {
  return value === undefined || others.length > 0 ? null : fingerprint(value);
}

const SHA256_HEX = /^[0-9a-f]{64}$/;

function fingerprint(text: string): string | null {
  if (text.includes('BEGIN')) return fingerprintOfPem(text);
  const hex = text.replaceAll(':', '').toLowerCase();
  return SHA256_HEX.test(hex) ? hex : null;
}

/** One certificate and nothing else: OpenSSL reads the first of several. */
const ONE_PEM = /^\s*-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\s*$/;

function fingerprintOfPem(encoded: string): string | null {
  return fingerprint(certificateOfPem(encoded)?.fingerprint256 ?? '');
}

function certificateOfPem(encoded: string): X509Certificate | null {
  try {
    const pem = decodeURIComponent(encoded);
    return ONE_PEM.test(pem) ? new X509Certificate(pem) : null;
  } catch {
    return null;
  }
}

/** `version-traceid-parentid-flags` (W3C Trace Context §3.2.2); version ff and ids of zeros are invalid. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Trace id of a request of which no trace is made here: that of the caller, so that both find it under one id, else made
 * of the request id.
 */
export function traceIdOf(headers: Readonly<IncomingHttpHeaders>, requestId: string): string {
  const { traceparent } = headers;
  const found = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
  if (found !== undefined) return found;
  return UUID.test(requestId) ? requestId.replaceAll('-', '') : randomBytes(16).toString('hex');
}
