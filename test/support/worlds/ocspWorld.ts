import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ocspRoutes } from '../../../api/pki/ocsp.ts';
import type { CertificateStatus } from '../../../application/certificate/ports/certificateStatuses.ts';
import { referenceDataTopic } from '../../../domain/shared/streams.ts';
import { certificatePem } from '../../../infrastructure/pki/trustFiles.ts';
import { startTestServer } from '../http/http.ts';
import { givenInMemory } from '../given/inMemory.ts';
import { ecKey, order } from '../pki/pkiFixtures.ts';
import { manualClock } from '../doubles/memoryPorts.ts';

const run = promisify(execFile);

/** Says so on the console when it is. */
export async function isOpensslMissing(): Promise<boolean> {
  const isMissing = await run('openssl', ['version']).then(
    () => false,
    () => true,
  );
  if (isMissing) console.log('    openssl is missing (package openssl): skipped');
  return isMissing;
}

type Authority = 'personal' | 'organization';

/** A responder over statuses the test sets, served over HTTP, with certificates to ask about. */
export async function startOcspWorld() {
  const parts = givenInMemory({ clock: () => manualClock(null) });
  const { clock, notifications: feed } = parts;
  const pki = await parts.startPki();
  const identities = await parts.startIdentities({ onFailure: () => undefined, everyMs: 20 });

  const known = new Map<string, CertificateStatus>();
  const state = { isListening: true, queries: 0, signatures: 0 };
  let outage: Error | null = null;
  let beforeReply: (() => Promise<void>) | null = null;
  const failures: unknown[] = [];
  const responder = await parts.startResponder({
    identities,
    keyVault: {
      sign: (label, message, hash) => {
        state.signatures += 1;
        return pki.vault.sign(label, message, hash);
      },
    },
    statuses: {
      statuses: async (serials) => {
        state.queries += 1;
        if (outage !== null) throw outage;
        const found = serials.flatMap((serial) => known.get(serial) ?? []);
        await beforeReply?.();
        return found;
      },
    },
    isListening: () => state.isListening,
    onFailure: (cause) => failures.push(cause),
  });
  const { server, origin } = await startTestServer(ocspRoutes(responder));
  const directory = await mkdtemp(join(tmpdir(), 'tamga-ocsp-'));
  const pemFile = async (name: string, der: Buffer) => {
    const path = join(directory, name);
    await writeFile(path, certificatePem(der));
    return path;
  };
  const issuers = {
    personal: await pemFile('personal.pem', pki.authority.issuer('personal').certificate),
    organization: await pemFile(
      'organization.pem',
      pki.authority.issuer('organization').certificate,
    ),
    root: await pemFile('root.pem', pki.authority.certificates.root),
  };

  /** Sets the status as a projection would: the row, then the announcement. */
  function set(
    serial: string,
    revocation: CertificateStatus['revocation'],
    authority: Authority = 'personal',
  ): void {
    known.set(serial, { serial, authority, revocation });
    feed.notify([referenceDataTopic('certificate', serial)]);
  }

  return {
    pki,
    clock,
    feed,
    identities,
    responder,
    origin,
    directory,
    issuers,
    state,
    failures,
    set,
    /** A certificate of a citizen whose status is good, as PEM file and serial. */
    async issue() {
      const wanted = order(ecKey().publicKey);
      const der = await pki.authority.issue(wanted);
      set(wanted.serial, null);
      return {
        serial: wanted.serial,
        der,
        path: await pemFile(`${wanted.serial}.pem`, der),
      };
    },
    /** A DER request written by openssl. */
    async request(...parameters: readonly string[]): Promise<Buffer> {
      const file = join(directory, 'request.der');
      await run('openssl', [
        ...['ocsp', '-issuer', issuers.personal, ...parameters, '-reqout', file],
      ]);
      return readFile(file);
    },
    async post(body: Uint8Array): Promise<Response> {
      const headers = { 'content-type': 'application/ocsp-request' };
      return fetch(`${origin}/ocsp`, { method: 'POST', headers, body: Buffer.from(body) });
    },
    /** Output of `openssl ocsp`, which verifies the response up to the root; standard output and error together. */
    async openssl(...parameters: readonly string[]): Promise<string> {
      const { stdout, stderr } = await run('openssl', [
        ...['ocsp', '-issuer', issuers.personal, '-CAfile', issuers.root],
        ...['-verify_other', issuers.personal, '-url', `${origin}/ocsp`, ...parameters],
      ]);
      return stdout + stderr;
    },
    fail(error: Error | null) {
      outage = error;
    },
    /** Holds every answer of the read model back until this resolves. */
    holdReplies(hold: (() => Promise<void>) | null) {
      beforeReply = hold;
    },
    async stop() {
      await server.stop(100);
      await parts.stop();
      await rm(directory, { recursive: true });
    },
  };
}

export type OcspWorld = Awaited<ReturnType<typeof startOcspWorld>>;
