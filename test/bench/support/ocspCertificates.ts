import { execFile } from 'node:child_process';
import { createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import {
  derExplicit,
  derOctetString,
  derOid,
  derSequence,
  derUnsigned,
} from '../../../infrastructure/pki/kernel/der.ts';
import { certificateIdParts } from '../../../infrastructure/pki/ocsp/responder.ts';
import {
  answerTime,
  derStatus,
  type ResponderTemplate,
  responderTemplate,
  responseData,
  signedResponse,
} from '../../../infrastructure/pki/ocsp/response.ts';
import { oid } from '../../../infrastructure/pki/kernel/oids.ts';
import { parseSignedCertificate } from '../../../infrastructure/pki/parsedCertificate.ts';
import { keyIdentifierOf } from '../../../infrastructure/pki/kernel/tbsCertificate.ts';

const run = promisify(execFile);

/** A certificate to query. */
export interface OcspSubject {
  /** Lower-case hexadecimal, 16 bytes. */
  readonly serial: string;
  readonly authority: 'personal' | 'organization';
  readonly isRevoked: boolean;
}

const REVOKED_AT = new Date('2026-01-02T03:04:05Z');

/** Certificates of both CAs in turn, every fiftieth revoked. */
export function ocspSubjects(count: number): readonly OcspSubject[] {
  return Array.from({ length: count }, (_, index) => {
    const serial = randomBytes(16);
    serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
    return {
      serial: serial.toString('hex'),
      authority: index % 2 === 0 ? 'personal' : 'organization',
      isRevoked: index % 50 === 0,
    };
  });
}

/** Writes certificates into the read model, as if issued. */
export async function storeSubjects(
  databaseUrl: string,
  subjects: readonly OcspSubject[],
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `insert into certificate_view (serial, type, level, key_type, holder_kind, civil_id,
         document_number, authority, issuer, public_key, not_before, not_after, status,
         revocation_reason, revoked_at, revision)
       select serial, 'SIGN', 'QUALIFIED', 'P-256', 'citizen', '100000000001', serial, authority,
         'CN=CA', 'MFkw', now() - interval '1 day', now() + interval '1 year',
         case when revoked then 'REVOKED' else 'VALID' end,
         case when revoked then 1 end, case when revoked then $4::timestamptz end, 1
       from unnest($1::text[], $2::text[], $3::boolean[]) as s (serial, authority, revoked)`,
      [
        subjects.map(({ serial }) => serial),
        subjects.map(({ authority }) => authority),
        subjects.map(({ isRevoked }) => isRevoked),
        REVOKED_AT,
      ],
    );
    await client.query('analyze certificate_view');
  } finally {
    await client.end();
  }
}

/**
 * Builds OCSPRequests for certificates of one CA, with SHA-1 as clients use it. @param issuer
 * certificate, DER
 */
export function requestWriter(issuer: Buffer): (serial: string, nonce?: Buffer) => Buffer {
  const parts = certificateIdParts(issuer);
  return (serial, nonce) => {
    const id = derSequence(parts, derUnsigned(Buffer.from(serial, 'hex')));
    const list = derSequence(derSequence(id));
    if (nonce === undefined) return derSequence(derSequence(list));
    const extension = derSequence(derOid(oid.ocspNonce), derOctetString(derOctetString(nonce)));
    return derSequence(derSequence(list, derExplicit(2, derSequence(extension))));
  };
}

/** A CA with an OCSP responder, made by openssl for the peers, and their input files. */
export interface PeerAuthority {
  readonly caPath: string;
  readonly responderPath: string;
  readonly keyPath: string;
  /** Certificate database of openssl. */
  readonly indexPath: string;
  /** Responses signed in advance, one base64 line each. */
  readonly responsesPath: string;
  readonly request: ReturnType<typeof requestWriter>;
}

export async function createPeerAuthority(
  directory: string,
  subjects: readonly OcspSubject[],
): Promise<PeerAuthority> {
  const path = (name: string) => join(directory, name);
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'];
  await run('openssl', [
    ...['req', '-x509', ...ec, '-subj', '/CN=Bench CA'],
    ...['-keyout', path('ca.key'), '-out', path('ca.pem')],
  ]);
  await run('openssl', [
    ...['req', '-x509', ...ec, '-subj', '/CN=Bench responder'],
    ...['-CA', path('ca.pem'), '-CAkey', path('ca.key')],
    ...['-addext', 'extendedKeyUsage=OCSPSigning', '-addext', 'noCheck=ignored'],
    ...['-keyout', path('responder.key'), '-out', path('responder.pem')],
  ]);
  const ca = await derOf(path('ca.pem'));
  const responder = await derOf(path('responder.pem'));
  const keyHash = keyIdentifierOf(parseSignedCertificate(responder).publicKey);
  const template = responderTemplate(keyHash, responder, REVOKED_AT);
  const key = createPrivateKey(await readFile(path('responder.key')));
  await writeFile(path('index.txt'), subjects.map(indexLine).join(''));
  await writeFile(path('index.txt.attr'), 'unique_subject = no\n');
  const parts = certificateIdParts(ca);
  const responses = subjects.map((subject) => signedAnswer(template, key, parts, subject));
  await writeFile(path('responses'), `${responses.join('\n')}\n`);
  return {
    caPath: path('ca.pem'),
    responderPath: path('responder.pem'),
    keyPath: path('responder.key'),
    indexPath: path('index.txt'),
    responsesPath: path('responses'),
    request: requestWriter(ca),
  };
}

async function derOf(path: string): Promise<Buffer> {
  const pem = await readFile(path, 'utf8');
  return Buffer.from(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64');
}

function indexLine({ serial, isRevoked }: OcspSubject): string {
  const revoked = isRevoked ? '260102030405Z,keyCompromise' : '';
  const status = isRevoked ? 'R' : 'V';
  return `${status}\t360101000000Z\t${revoked}\t${serial.toUpperCase()}\tunknown\t/CN=${serial}\n`;
}

function signedAnswer(
  template: ResponderTemplate,
  key: KeyObject,
  issuer: Buffer,
  { serial, isRevoked }: OcspSubject,
): string {
  const id = derSequence(issuer, derUnsigned(Buffer.from(serial, 'hex')));
  const revocation = isRevoked ? { reason: 1, at: REVOKED_AT } : null;
  const thisUpdate = new Date();
  const nextUpdate = new Date(thisUpdate.getTime() + 86_400_000);
  const single = { id, status: derStatus({ revocation }) };
  const data = responseData(template, [single], answerTime(thisUpdate, nextUpdate), null);
  return signedResponse(template, data, sign('sha256', data, key)).toString('base64');
}
