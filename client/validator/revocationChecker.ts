import { randomBytes } from 'node:crypto';
import {
  callable,
  checkArguments,
  count,
  listOf,
  milliseconds,
  objectWith,
  oneOf,
  optional,
} from '../arguments.ts';
import type { CallOptions } from '../types.ts';
import {
  type CertificateDetails,
  readCertificate,
} from '../../infrastructure/pki/kernel/certificate.ts';
import { type IndexedList, indexedList } from './crl.ts';
import { createDownloads } from './download.ts';
import { crlAddresses, ocspAddresses } from '../../infrastructure/pki/kernel/locations.ts';
import { buildOcspRequest, readOcspAnswer } from '../../infrastructure/pki/kernel/ocsp.ts';
import type { RevocationChecker, RevocationStatus } from './revocation.ts';

/** Options of the revocation checker. */
export interface RevocationCheckerOptions {
  /** Sources in order; default OCSP first, the issuer's CRL when OCSP gives no usable answer. */
  readonly sources?: readonly ('ocsp' | 'crl')[];
  /** OCSP address instead of those in the certificate. */
  readonly ocspUrl?: string;
  /** CRL address instead of those in the certificate. */
  readonly crlUrl?: string;
  /**
   * Nonce policy. `ask` (default): a nonce is sent, and a response without one accepted while it is
   * current: responders that sign in advance cannot repeat it. `require`: such a response is
   * rejected. `none`: none is sent.
   */
  readonly nonce?: 'ask' | 'require' | 'none';
  /** Timeout of one HTTP call, ms; default 10000. */
  readonly timeoutMs?: number;
  /** Tolerated clock skew, ms; default 60000. */
  readonly clockSkewMs?: number;
  /** Size limit of an OCSP response, bytes; default 64 KiB. */
  readonly maxOcspBytes?: number;
  /** Size limit of a CRL, bytes; default 64 MiB, some 1.4 million entries. */
  readonly maxCrlBytes?: number;
  /**
   * Capacity of the cache of OCSP responses, kept until their nextUpdate; default 10000. 0: no
   * cache.
   */
  readonly cachedAnswers?: number;
  /** Capacity of the cache of CRLs, kept until their nextUpdate; default 16. */
  readonly cachedLists?: number;
  /** Replacement of the global `fetch`. */
  readonly fetchImpl?: typeof fetch;
  /** Validation time; default: the system clock. */
  readonly now?: () => Date;
}

const checkerOptions = objectWith({
  sources: optional(listOf(oneOf('ocsp', 'crl'))),
  nonce: optional(oneOf('ask', 'require', 'none')),
  timeoutMs: optional(milliseconds),
  clockSkewMs: optional(milliseconds),
  maxOcspBytes: optional(count),
  maxCrlBytes: optional(count),
  cachedAnswers: optional(count),
  cachedLists: optional(count),
  fetchImpl: optional(callable),
  now: optional(callable),
});

/** Lifetime of a response without nextUpdate, ms. */
const WITHOUT_NEXT_UPDATE_MS = 300_000;

/** Cache of values with expiry; the oldest entry is evicted first. */
interface Cache<Value> {
  get(key: string): Value | null;
  set(key: string, value: Value, validUntil: number): void;
}

/** A status request in progress. */
interface Subject {
  readonly certificate: CertificateDetails;
  readonly issuer: CertificateDetails;
}

/**
 * Creates a checker for `trust.revocation`: OCSP (RFC 6960), then the issuer's CRL (RFC 5280 §6.3),
 * at the addresses named in the certificate. Returns the status given by the first verified source;
 * sources that are unavailable or fail verification are skipped, and when none is left it throws an
 * AggregateError with the failure of each. A status "unknown" is final: the issuer does not know
 * the certificate.
 */
export function createRevocationChecker(options: RevocationCheckerOptions = {}): RevocationChecker {
  checkArguments('createRevocationChecker', [['options', checkerOptions]], [options]);
  const {
    sources = ['ocsp', 'crl'],
    nonce = 'ask',
    timeoutMs = 10_000,
    clockSkewMs = 60_000,
    now = () => new Date(),
  } = options;
  const download = createDownloads({ fetchImpl: options.fetchImpl ?? fetch, timeoutMs });
  const clock = () => now().getTime();
  const answers = createCache<RevocationStatus>(options.cachedAnswers ?? 10_000, clock);
  const lists = createCache<IndexedList>(options.cachedLists ?? 16, clock);
  const loading = new Map<string, Promise<IndexedList>>();
  const moment = () => ({ now: now(), clockSkewMs });

  async function askOcsp(
    address: string,
    { certificate, issuer }: Subject,
    { signal }: CallOptions,
  ): Promise<RevocationStatus> {
    const key = `${nameOf(issuer)}:${certificate.serial.toString('hex')}`;
    const known = answers.get(key);
    if (known !== null) return known;
    const question = { certificate, issuer, nonce: nonce === 'none' ? null : randomBytes(32) };
    const body = {
      bytes: buildOcspRequest(question),
      mediaType: 'application/ocsp-request',
    };
    const maxBytes = options.maxOcspBytes ?? 65_536;
    const der = await download(address, { body, maxBytes, signal });
    const { status, validUntil, hasNonce } = readOcspAnswer(der, question, {
      ...moment(),
      withoutNextUpdateMs: WITHOUT_NEXT_UPDATE_MS,
    });
    if (nonce === 'require' && !hasNonce) throw new Error('The OCSP answer has no nonce.');
    // An unknown certificate is not cached: the responder may learn of it at any moment.
    if (status !== 'unknown') answers.set(key, status, validUntil);
    return status;
  }

  async function askList(
    address: string,
    { certificate, issuer }: Subject,
    { signal }: CallOptions,
  ): Promise<RevocationStatus> {
    const key = `${nameOf(issuer)}:${address}`;
    const list = lists.get(key) ?? (await abortable(load(key, address, issuer), signal));
    return list.has(certificate.serial) ? 'revoked' : 'good';
  }

  /** Concurrent checks share one download, so no single caller can abort it. */
  function load(key: string, address: string, issuer: CertificateDetails) {
    const started = loading.get(key);
    if (started !== undefined) return started;
    const load = download(address, { maxBytes: options.maxCrlBytes ?? 64 * 1024 * 1024 })
      .then((der) => {
        const stated = options.crlUrl === undefined ? address : null;
        const list = indexedList(der, { issuer, address: stated }, moment());
        lists.set(key, list, list.validUntil);
        return list;
      })
      .finally(() => loading.delete(key));
    loading.set(key, load);
    return load;
  }

  function addressesOf(source: 'ocsp' | 'crl', { certificate }: Subject): readonly string[] {
    return source === 'ocsp'
      ? given(options.ocspUrl, () => ocspAddresses(certificate))
      : given(options.crlUrl, () => crlAddresses(certificate));
  }

  return async (certificate, issuer, call = {}) => {
    if (issuer === null) throw new Error('Without its issuer a certificate cannot be asked about.');
    const subject = {
      certificate: readCertificate(certificate.raw),
      issuer: readCertificate(issuer.raw),
    };
    const failures: unknown[] = [];
    for (const source of sources) {
      const ask = source === 'ocsp' ? askOcsp : askList;
      for (const address of addressesOf(source, subject)) {
        try {
          return await ask(address, subject, call);
        } catch (error) {
          call.signal?.throwIfAborted();
          failures.push(error);
        }
      }
    }
    throw new AggregateError(failures, 'No source of revocation gave a usable answer.');
  };
}

function given(url: string | undefined, found: () => readonly string[]): readonly string[] {
  return url === undefined ? found() : [url];
}

/** Identifies a CA by name and key: after a change of keys the name stays. */
function nameOf({ spki }: CertificateDetails): string {
  return spki.toString('base64');
}

function createCache<Value>(limit: number, clock: () => number): Cache<Value> {
  const entries = new Map<string, { readonly value: Value; readonly validUntil: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return null;
      if (clock() <= entry.validUntil) return entry.value;
      entries.delete(key);
      return null;
    },
    set(key, value, validUntil) {
      if (limit === 0) return;
      entries.delete(key);
      entries.set(key, { value, validUntil });
      if (entries.size > limit) {
        const [oldest = ''] = entries.keys();
        entries.delete(oldest);
      }
    },
  };
}

/** Settles like `promise`, or rejects with the signal's reason as soon as it is aborted. */
async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
