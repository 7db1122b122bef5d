import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { z } from 'zod';
import {
  proxyCheckAnswer,
  proxyCheckHeader,
  proxyCheckPath,
  proxyCheckRoute,
} from '../../api/platform/proxyCheckRoute.ts';
import type { Route } from '../../api/http/route.ts';
import { createProxyCheckTickets } from '../../infrastructure/codec/proxyCheckTickets.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { readMasterKeys } from '../../infrastructure/codec/postgresMasterKeys.ts';
import { systemClock } from '../../infrastructure/system.ts';
import { type ConfigCheck, withPool } from './configChecks.ts';
import { givenMasterKeys } from './stores.ts';
import type { Core } from './core.ts';

/** Set aside for documents (RFC 5737, RFC 2606), so that nobody's. */
const forged = { address: '192.0.2.77', host: 'forged.invalid', certificate: 'ab'.repeat(32) };
const TIMEOUT_MS = 5000;
const LONGEST_ANSWER = 16_384;

type Believed = z.output<typeof proxyCheckAnswer>;

/** The route asked by {@link proxyConfigCheck}; none where no proxy is believed. */
export function proxyCheckRoutes({ config, foundation }: Core): readonly Route[] {
  if (config.SVC_TRUSTED_PROXIES.length === 0) return [];
  const tickets = createProxyCheckTickets(foundation.derivationKey);
  return [proxyCheckRoute((ticket) => tickets.isGood(ticket, foundation.clock.now()))];
}

/**
 * Asks the running service through its public address with an address, a client certificate and a host that are forged,
 * and compares what it believed.
 *
 * @param base public address, such as `SVC_RP_API_BASE`
 */
export function proxyConfigCheck(config: Config, base: string): ConfigCheck {
  return {
    settings: `SVC_TRUSTED_PROXIES, through ${base}`,
    run: async () => {
      if (config.SVC_TRUSTED_PROXIES.length === 0) {
        return ['no proxy is trusted, so all callers behind a proxy have the address of the proxy'];
      }
      const key = await derivationKeyOf(config);
      const ticket = createProxyCheckTickets(key).issue(systemClock.now());
      const certificateHeader = config.SVC_CLIENT_CERTIFICATE_HEADER;
      const headers = {
        [proxyCheckHeader]: ticket,
        'x-forwarded-for': forged.address,
        ...(certificateHeader !== undefined && { [certificateHeader]: forged.certificate }),
      };
      judge(await ask(base, headers), certificateHeader);
      return hostRemarks(await ask(base, { ...headers, host: forged.host }));
    },
  };
}

/** Derivation key of the service; without its database the master key, which it is until that is rotated. */
async function derivationKeyOf(config: Config): Promise<Buffer> {
  const given = await givenMasterKeys(config);
  const { SVC_DATABASE_URL: url } = config;
  if (url === undefined) return given[0];
  return withPool(url, async (pool) => (await readMasterKeys(pool, given)).derivationKey);
}

/** @throws Error for what a caller could forge, with the remedy */
function judge({ status, believed }: Answer, certificateHeader: string | undefined): void {
  if (believed === null) {
    throw new Error(
      `The answer was ${status}. No service with this master key and these SVC_TRUSTED_PROXIES is behind that address.`,
    );
  }
  const everywhere =
    'in the same place as every other proxy_set_header (docs/operations.md, Proxy)';
  if (believed.address === forged.address) {
    throw new Error(
      `The forged X-Forwarded-For was trusted. Let the proxy replace it with the address of the caller, ${everywhere}.`,
    );
  }
  if (believed.forwardedFor === null) {
    throw new Error(
      `No X-Forwarded-For arrived, so all callers have the address ${believed.address}. Let the proxy set it, ${everywhere}.`,
    );
  }
  if (believed.clientCertificate === forged.certificate) {
    throw new Error(
      `The forged ${certificateHeader ?? ''} was trusted. Let the proxy replace it, and clear it where the proxy asks for no certificate, ${everywhere}.`,
    );
  }
}

function hostRemarks({ believed }: Answer): readonly string[] {
  return believed?.host === forged.host
    ? ['a request for a foreign Host is passed on: refuse it at the proxy (a default server)']
    : [];
}

interface Answer {
  readonly status: number;
  /** Null: another answer than that of the route. */
  readonly believed: Believed | null;
}

function ask(base: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const target = new URL(proxyCheckPath, base);
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const asking = send(target, { headers, timeout: TIMEOUT_MS, servername: target.hostname });
    asking.on('timeout', () => asking.destroy(new Error('The proxy did not answer in time.')));
    asking.on('error', (error: NodeJS.ErrnoException) => {
      // The connection is closed on a foreign Host: it went no further.
      if (error.code === 'ECONNRESET' || error.message === 'socket hang up') {
        resolve({ status: 0, believed: null });
      } else reject(error);
    });
    asking.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
        if (text.length > LONGEST_ANSWER) response.destroy(new Error('The answer is too long.'));
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, believed: read(text) }));
    });
    asking.end();
  });
}

function read(text: string): Believed | null {
  try {
    return proxyCheckAnswer.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
