import type { Clock } from '../../application/ports/clock.ts';
import type { EcdsaKeyType, KeyVault } from '../../application/ports/keyVault.ts';
import type { Randomness } from '../../application/ports/randomness.ts';
import {
  type CaKind,
  generationOf,
  type IssuingAuthority,
  kindOf,
} from '../../domain/shared/issuingCas.ts';
import {
  type DisclosureStatement,
  encodeStaticExtensions,
  type StaticContent,
} from './extensions.ts';
import { certificateSignature } from './kernel/certificate.ts';
import { encodeName } from './kernel/name.ts';
import type { LintExpectation } from './lintRule.ts';
import { legalPersonName, nameText } from './names.ts';
import {
  type ParsedCertificate,
  parseSignedCertificate,
  subjectAttributes,
} from './parsedCertificate.ts';
import { createProfileGuard } from './profileGuard.ts';
import {
  type CertificateProfile,
  organizationCaProfile,
  personalCaProfile,
  rootProfile,
  signatureSuites,
} from './profiles.ts';
import {
  assembleCertificate,
  createTbsEncoder,
  keyIdentifierOf,
  type VariableContent,
} from './kernel/tbsCertificate.ts';

export interface CaIssuingOptions {
  readonly vault: Pick<KeyVault, 'sign'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /**
   * Public base address in certificates, of `/ocsp`, `/crl…` and `/ca/…`. Plain http, no trailing slash: the responses
   * are signed, and https would need a certificate to check a certificate (RFC 5280 §8).
   */
  readonly baseUrl: string;
  /** Operator of the authorities; `etsi` is its `NTR…` identifier. */
  readonly operator?: { readonly name: string; readonly etsi: string; readonly country: string };
  /** The operator's own policy arc, dotted; to be set in production. Default: an example arc. */
  readonly policyArc?: string | undefined;
  /** Default: English at the base address, over https. */
  readonly disclosureStatements?: readonly DisclosureStatement[];
  /** Time by which certificates begin earlier than now, ms; default 0. */
  readonly clockSlackMs?: number;
  /** Default 20 and 10. */
  readonly rootYears?: number;
  readonly issuingYears?: number;
}

/** Key of an authority in the vault, and what its certificates say of it. */
export interface IssuingKey {
  readonly keyLabel: string;
  readonly keyType: EcdsaKeyType;
  readonly keyIdentifier: Buffer;
  readonly urls: { readonly certificate: string; readonly crl: string };
}

export interface CaIssuer extends IssuingKey {
  readonly der: Buffer;
  readonly certificate: ParsedCertificate;
  /** RFC 4514. */
  readonly name: string;
}

/** Issues one certificate of a fixed profile under a fixed issuer. */
export type Issue = (
  content: VariableContent,
  keyType: LintExpectation['keyType'],
) => Promise<Buffer>;

/** Below the enterprise number reserved for examples (RFC 5612), until an operator has its own. */
export const DEFAULT_POLICY_ARC = '1.3.6.1.4.1.32473.1';

/** Fixed facts of an authority. */
export interface CaDeclaration {
  readonly commonName: string;
  readonly keyType: EcdsaKeyType;
  readonly profile: CertificateProfile;
  /** Path below the base address. */
  readonly certificatePath: string;
  readonly crlPath: string;
}

const firstGenerations: Readonly<Record<'root' | CaKind, CaDeclaration>> = {
  root: {
    commonName: 'Tamga Root CA',
    keyType: 'P-384',
    profile: rootProfile,
    certificatePath: '/ca/root.cer',
    crlPath: '/crl/root',
  },
  personal: {
    commonName: 'Tamga Personal Issuing CA',
    keyType: 'P-256',
    profile: personalCaProfile,
    certificatePath: '/ca/personal.cer',
    crlPath: '/crl',
  },
  organization: {
    commonName: 'Tamga Organization Issuing CA',
    keyType: 'P-256',
    profile: organizationCaProfile,
    certificatePath: '/ca/organization.cer',
    crlPath: '/crl/org',
  },
};

/**
 * Declaration of an authority. A later generation has a name of its own, since lists and OCSP requests name an issuer by
 * its name, and addresses of its own, since those in certificates answer for ever.
 */
export function caOf(name: IssuingAuthority): CaDeclaration {
  if (name === 'root') return firstGenerations.root;
  const first = firstGenerations[kindOf(name)];
  const generation = generationOf(name);
  if (generation === 1) return first;
  return {
    ...first,
    commonName: `${first.commonName} ${generation}`,
    certificatePath: `/ca/${name}.cer`,
    crlPath: `/crl/${name}`,
  };
}

/**
 * Label of an authority's key in the vault.
 *
 * @param organizationKey of the first Organization CA, where the operator names another
 */
export function caKeyLabel(name: IssuingAuthority, organizationKey?: string): string {
  if (organizationKey === undefined || name === 'root' || kindOf(name) === 'personal') {
    return `ca-${name}`;
  }
  const generation = generationOf(name);
  return generation === 1 ? organizationKey : `${organizationKey}-${generation}`;
}

/**
 * Certificates by profile under an authority, and those of the authorities themselves. Construction does no I/O.
 *
 * @throws Error when the base address is not plain http
 */
export function createCaIssuing(options: CaIssuingOptions) {
  const { vault, clock, randomness, baseUrl, clockSlackMs = 0 } = options;
  if (!/^http:\/\/[^/].*[^/]$/.test(baseUrl)) {
    throw new Error(
      'The address that certificates point to must begin with http:// and have no trailing slash.',
    );
  }
  const operator = options.operator ?? { name: 'Tamga', etsi: 'NTRMN-0000000', country: 'MN' };
  const policyArc = options.policyArc ?? DEFAULT_POLICY_ARC;
  const disclosureStatements = options.disclosureStatements ?? [
    { url: `${baseUrl.replace(/^http:/, 'https:')}/pds/en`, language: 'en' },
  ];
  const years = { root: options.rootYears ?? 20, issuing: options.issuingYears ?? 10 };

  /** A time less the slack, in whole seconds, at least `least`. */
  function earlier(now: Date, least = new Date(0)): Date {
    const time = Math.max(now.getTime() - clockSlackMs, least.getTime());
    return new Date(Math.floor(time / 1000) * 1000);
  }

  function staticContent(issuer: IssuingKey | null): StaticContent {
    return {
      issuerKeyIdentifier: issuer?.keyIdentifier ?? null,
      ocspUrl: `${baseUrl}/ocsp`,
      issuerCertificateUrl: issuer?.urls.certificate ?? '',
      crlUrl: issuer?.urls.crl ?? '',
      policyArc,
      disclosureStatements,
      legislation: operator.country,
    };
  }

  function expectationOf(issuer: CaIssuer): LintExpectation['issuer'] {
    const { notBefore, notAfter } = issuer.certificate;
    return {
      name: Buffer.from(encodeName(subjectAttributes(issuer.certificate))),
      signatureAlgorithm: signatureSuites[issuer.keyType].algorithm,
      notBefore,
      notAfter,
    };
  }

  function prepareSigning(
    profile: CertificateProfile,
    content: StaticContent,
    key: IssuingKey,
    issuer: LintExpectation['issuer'],
  ): Issue {
    const { hash, algorithm } = signatureSuites[key.keyType];
    const encode = createTbsEncoder({
      issuer: issuer.name,
      signatureAlgorithm: algorithm,
      staticExtensions: encodeStaticExtensions(profile, content),
    });
    const refuseWrongProfile = createProfileGuard({ profile, content, issuer });
    return async (variable, keyType) => {
      const tbs = encode(variable);
      refuseWrongProfile(tbs, keyType);
      return assembleCertificate(tbs, algorithm, await vault.sign(key.keyLabel, tbs, hash));
    };
  }

  const prepare = (profile: CertificateProfile, issuer: CaIssuer): Issue =>
    prepareSigning(profile, staticContent(issuer), issuer, expectationOf(issuer));

  /** @param publicKey SubjectPublicKeyInfo, DER */
  function keyOf(
    name: IssuingAuthority,
    publicKey: Buffer,
    keyLabel = caKeyLabel(name),
  ): IssuingKey {
    const { keyType, certificatePath, crlPath } = caOf(name);
    const urls = { certificate: `${baseUrl}${certificatePath}`, crl: `${baseUrl}${crlPath}` };
    return { keyLabel, keyType, keyIdentifier: keyIdentifierOf(publicKey), urls };
  }

  /**
   * A new certificate of an authority.
   *
   * @param key of the authority itself
   * @param above null: the root, which signs itself
   * @returns DER
   */
  async function issueCa(
    name: IssuingAuthority,
    publicKey: Buffer,
    key: IssuingKey,
    above: CaIssuer | null,
  ): Promise<Buffer> {
    const { keyType, commonName, profile } = caOf(name);
    const notBefore = earlier(clock.now(), above?.certificate.notBefore);
    const notAfter = new Date(notBefore);
    notAfter.setUTCFullYear(
      notBefore.getUTCFullYear() + (above === null ? years.root : years.issuing),
    );
    const subject = encodeName(legalPersonName(commonName, operator));
    const signatureAlgorithm = signatureSuites[keyType].algorithm;
    const itself = { name: subject, signatureAlgorithm, notBefore, notAfter };
    const issue =
      above === null
        ? prepareSigning(profile, staticContent(null), key, itself)
        : prepare(profile, above);
    const serial = randomness.bytes(16);
    serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
    return issue({ serial, subject, publicKey, notBefore, notAfter }, keyType);
  }

  /** @throws Error when the certificate is of another key, or is none */
  function issuerOf(
    name: IssuingAuthority,
    der: Buffer,
    publicKey: Buffer,
    key: IssuingKey,
  ): CaIssuer {
    const certificate = parseSignedCertificate(der);
    if (!certificate.publicKey.equals(publicKey)) {
      throw new Error(
        `The certificate of ${caOf(name).commonName} does not belong to the key ${key.keyLabel} in the vault.`,
      );
    }
    return { ...key, der, certificate, name: nameText(subjectAttributes(certificate)) };
  }

  /** @throws Error when a certificate is not as this root would issue it with these settings */
  function expectProfile(
    { profile, keyType }: Pick<CaDeclaration, 'profile' | 'keyType'>,
    der: Buffer,
    root: CaIssuer,
  ): void {
    const issuer = expectationOf(root);
    const content = staticContent(root);
    createProfileGuard({ profile, content, issuer })(certificateSignature(der).signed, keyType);
  }

  return { operator, earlier, prepare, keyOf, issueCa, issuerOf, expectProfile };
}

export type CaIssuing = ReturnType<typeof createCaIssuing>;
