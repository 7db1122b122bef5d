import type { X509Certificate } from 'node:crypto';
import { verifyActiveAuthentication } from './activeAuthentication.ts';
import { personalNumberOfDataGroup11, zoneOfDataGroup1 } from './dataGroups.ts';
import type { CountryAuthorities } from './countryAuthorities.ts';
import { certificateCountry } from './countries.ts';
import type { CountryRevocations, RevocationState } from './countryRevocations.ts';
import { verifyDocumentSigner } from './documentSigner.ts';
import { type MachineReadableZone, readMachineReadableZone } from './mrz.ts';
import { PassportRejected } from './rejection.ts';
import { readSecurityObject, type SecurityObject } from './securityObject.ts';
import { isDigestOf } from './signedContent.ts';

/** Files read from a chip, complete. */
export interface PassportFiles {
  /** EF.SOD. */
  readonly securityObject: Buffer;
  /** EF.DG1 to EF.DG16 by number; 1 must be there. */
  readonly dataGroups: ReadonlyMap<number, Buffer>;
  /** Response of the chip to the challenge (INTERNAL AUTHENTICATE); null: not challenged. */
  readonly chipSignature: Buffer | null;
}

/**
 * Policy for active authentication, which detects copies of a chip: never, where the State stored a key for it in the
 * document, or always, so that documents without one are refused.
 */
export const chipProofs = ['optional', 'offered', 'required'] as const;

/** A verified document, without pictures and fingerprints. */
export interface VerifiedPassport {
  readonly zone: MachineReadableZone;
  /** From data group 11; null when absent. */
  readonly personalNumber: string | null;
  /** Verified hashes, lower-case hexadecimal, by number of the data group. */
  readonly dataGroups: ReadonlyMap<number, string>;
  /** `sha224` to `sha512`. */
  readonly hash: string;
  /** Signing time stated by the State; null when absent. */
  readonly signedAt: Date | null;
  /** Serial number of the document signer's certificate, hexadecimal. */
  readonly signerSerial: string;
  readonly signerRevocation: Exclude<RevocationState, 'REVOKED'>;
  /** Active authentication succeeded; otherwise the chip's files may have been copied. */
  readonly isChipProved: boolean;
}

/** Longest files, bytes: a security object is some 2 KB, a face some 20 KB. */
const LONGEST_SECURITY_OBJECT = 32_768;
const LONGEST_DATA_GROUP = 131_072;

/** Clock skew accepted of a signer in the future, ms. */
const CLOCK_TOLERANCE_MS = 86_400_000;

export interface PassportCheck {
  /** Zone typed or scanned from the page; null: only the chip's own is used. */
  readonly zone: string | null;
  readonly files: PassportFiles;
  readonly authorities: CountryAuthorities;
  readonly revocations: CountryRevocations;
  /** Challenge for active authentication. */
  readonly challenge: Buffer;
  readonly chipProof: (typeof chipProofs)[number];
  readonly now: Date;
}

/**
 * Passive authentication (Doc 9303-11 §5.1): verifies that a State with a trusted country authority signed the files,
 * that they are unaltered, that the typed zone is the chip's, and that the document is in force. Then active
 * authentication (§6.1), which detects copies, as far as required.
 *
 * @throws PassportRejected, and nothing else, whatever the bytes
 */
export function verifyPassport(check: PassportCheck): VerifiedPassport {
  const { zone, files, authorities, now } = check;
  checkSizes(files);
  const file = fileOf(files, 1);
  const read = readMachineReadableZone(zone ?? zoneOfDataGroup1(file), now);
  const securityObject = readSecurityObject(files.securityObject);
  const authority = verifyDocumentSigner(securityObject.certificate, authorities.certificates, {
    at: signingTime(securityObject, now),
    country: certificateCountry(read.issuingState),
    documentCode: read.documentCode,
  });
  const signerRevocation = requireUnrevoked(check, securityObject.certificate, authority);
  const dataGroups = compareDataGroups(securityObject, files.dataGroups);
  if (zoneOfDataGroup1(file) !== read.text) throw new PassportRejected('MRZ_MISMATCH');
  // Valid to the end of that day in every time zone.
  if (Date.parse(`${read.expiryDate}T00:00:00Z`) + LAST_MOMENT_MS < now.getTime()) {
    throw new PassportRejected('DOCUMENT_EXPIRED');
  }
  const isChipProved = provesItself(check, securityObject);
  const details = files.dataGroups.get(11);
  return {
    zone: read,
    personalNumber: details === undefined ? null : personalNumberOfDataGroup11(details),
    dataGroups,
    hash: securityObject.hash,
    signedAt: securityObject.signedAt,
    signerSerial: securityObject.certificate.serialNumber,
    signerRevocation,
    isChipProved,
  };
}

/** The holder of a revoked signer's key can sign with any date, so the signing time is ignored. */
function requireUnrevoked(
  { revocations, now }: PassportCheck,
  signer: X509Certificate,
  authority: X509Certificate,
): VerifiedPassport['signerRevocation'] {
  const state = revocations.stateOf(signer, authority, now);
  if (state === 'REVOKED') throw new PassportRejected('SIGNER_CERTIFICATE_REVOKED');
  if (revocations.stateOf(authority, authority, now) === 'REVOKED') {
    throw new PassportRejected('COUNTRY_AUTHORITY_REVOKED');
  }
  return state;
}

/** A copy would omit the proof it cannot give: the State's signed data tells if the chip has a key. */
function provesItself(
  { files, challenge, chipProof }: PassportCheck,
  { digests }: SecurityObject,
): boolean {
  if (files.chipSignature !== null) {
    verifyActiveAuthentication(files.dataGroups, challenge, files.chipSignature);
    return true;
  }
  if (digests.has(15) && chipProof !== 'optional') {
    throw new PassportRejected('ACTIVE_AUTHENTICATION_MISSING');
  }
  if (chipProof === 'required') throw new PassportRejected('ACTIVE_AUTHENTICATION_NOT_OFFERED');
  return false;
}

/** From 00:00 UTC of a date to its end at UTC-12. */
const LAST_MOMENT_MS = 36 * 3_600_000;

function checkSizes({ securityObject, dataGroups }: PassportFiles): void {
  if (securityObject.length > LONGEST_SECURITY_OBJECT) {
    throw new PassportRejected('FILE_TOO_LARGE', 'SOD');
  }
  for (const [number, file] of dataGroups) {
    if (file.length > LONGEST_DATA_GROUP)
      throw new PassportRejected('FILE_TOO_LARGE', `DG${number}`);
  }
}

function signingTime({ signedAt }: SecurityObject, now: Date): Date {
  if (signedAt !== null && signedAt.getTime() > now.getTime() + CLOCK_TOLERANCE_MS) {
    throw new PassportRejected('SIGNING_TIME');
  }
  return signedAt ?? now;
}

function compareDataGroups(
  { hash, digests }: SecurityObject,
  files: PassportFiles['dataGroups'],
): ReadonlyMap<number, string> {
  const compared = new Map<number, string>();
  for (const [number, file] of files) {
    const digest = digests.get(number);
    if (digest === undefined) throw new PassportRejected('DATA_GROUP_NOT_SIGNED', `DG${number}`);
    if (!isDigestOf(hash, file, digest)) {
      throw new PassportRejected('DATA_GROUP_ALTERED', `DG${number}`);
    }
    compared.set(number, digest.toString('hex'));
  }
  return compared;
}

function fileOf({ dataGroups }: PassportFiles, number: number): Buffer {
  const file = dataGroups.get(number);
  if (file === undefined) throw new PassportRejected('DATA_GROUP_MISSING', `DG${number}`);
  return file;
}
