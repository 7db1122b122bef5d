import { X509Certificate } from 'node:crypto';
import {
  authorityFor,
  type CertificateAuthority,
  type CertificateOrder,
} from '../../application/ports/certificateAuthority.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { KeyVault, EcdsaKeyType } from '../../application/ports/keyVault.ts';
import type { Randomness } from '../../application/ports/randomness.ts';
import type { CaCertificates, CaName } from './caCertificates.ts';
import {
  type DisclosureStatement,
  encodeStaticExtensions,
  type StaticContent,
} from './extensions.ts';
import type { LintExpectation } from './lintRules.ts';
import { encodeName, legalPersonName, nameText, organizationName, personName } from './names.ts';
import {
  type ParsedCertificate,
  parseSignedCertificate,
  subjectAttributes,
} from './parsedCertificate.ts';
import { createProfileGuard } from './profileGuard.ts';
import {
  type CertificateProfile,
  citizenProfileOf,
  organizationCaProfile,
  personalCaProfile,
  rootProfile,
  sealProfileOf,
  serviceProfileOf,
  signatureSuites,
  treeKeyProfile,
} from './profiles.ts';
import {
  assembleCertificate,
  createTbsEncoder,
  keyIdentifierOf,
  type VariableContent,
} from './tbsCertificate.ts';

export interface CertificateAuthorityOptions {
  readonly vault: KeyVault;
  readonly certificates: CaCertificates;
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
  /** The Organization CA's key and certificate when supplied by the operator; to be set before the first start. */
  readonly organizationCa?: {
    /** Default `ca-organization`. */
    readonly keyLabel?: string | undefined;
    /** DER, issued by the Root CA for that key; default: issued at the first start. */
    readonly certificate?: Buffer | undefined;
  };
  /** Time by which certificates begin earlier than now, ms; default 0. */
  readonly clockSlackMs?: number;
  /** Default 20 and 10. */
  readonly rootYears?: number;
  readonly issuingYears?: number;
}

/** The authority with its start. */
export interface StartableCertificateAuthority extends CertificateAuthority {
  /**
   * Loads the three CAs, creating keys and certificates on the first start; several processes agree on the same ones.
   *
   * @throws Unavailable when the vault or the database does not answer
   * @throws Error when a stored or supplied certificate is not of the key in the vault, or a supplied one not issued by
   * the Root CA
   */
  start(): Promise<void>;
}

interface Issuer {
  readonly der: Buffer;
  readonly certificate: ParsedCertificate;
  readonly keyLabel: string;
  readonly keyType: EcdsaKeyType;
  readonly keyIdentifier: Buffer;
  /** RFC 4514. */
  readonly name: string;
  readonly urls: { readonly certificate: string; readonly crl: string };
}

/** Issues one certificate of a fixed profile under a fixed issuer. */
type Issue = (content: VariableContent, keyType: LintExpectation['keyType']) => Promise<Buffer>;

/** Below the enterprise number reserved for examples (RFC 5612), until an operator has its own. */
export const DEFAULT_POLICY_ARC = '1.3.6.1.4.1.32473.1';

const authorities: Readonly<
  Record<
    CaName,
    {
      readonly commonName: string;
      readonly keyType: EcdsaKeyType;
      readonly profile: CertificateProfile;
      /** Path below the base address. */
      readonly certificatePath: string;
      readonly crlPath: string;
    }
  >
> = {
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
 * The platform's own PKI: Root CA, Personal and Organization issuing CA. Construction does no I/O.
 *
 * @throws Error when the base address is not plain http
 */
export function createCertificateAuthority(
  options: CertificateAuthorityOptions,
): StartableCertificateAuthority {
  const { vault, certificates, clock, randomness, baseUrl, clockSlackMs = 0 } = options;
  if (!/^http:\/\/[^/].*[^/]$/.test(baseUrl)) {
    throw new Error('The address certificates point to must be http, without a trailing slash.');
  }
  const operator = options.operator ?? { name: 'Tamga', etsi: 'NTRMN-0000000', country: 'MN' };
  const policyArc = options.policyArc ?? DEFAULT_POLICY_ARC;
  const disclosureStatements = options.disclosureStatements ?? [
    { url: `${baseUrl.replace(/^http:/, 'https:')}/pds/en`, language: 'en' },
  ];
  const years = { root: options.rootYears ?? 20, issuing: options.issuingYears ?? 10 };
  const issueByProfile = new Map<string, Issue>();
  let issuers: Readonly<Record<CaName, Issuer>> | undefined;

  /** A time less the slack, in whole seconds, at least `least`. */
  function earlier(now: Date, least = new Date(0)): Date {
    const time = Math.max(now.getTime() - clockSlackMs, least.getTime());
    return new Date(Math.floor(time / 1000) * 1000);
  }

  function started(): Readonly<Record<CaName, Issuer>> {
    if (issuers === undefined) throw new Error('The certificate authority was not started.');
    return issuers;
  }

  function staticContent(
    issuer: Omit<Issuer, 'der' | 'certificate' | 'name'> | null,
  ): StaticContent {
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

  function prepare(profile: CertificateProfile, issuer: Issuer): Issue {
    const content = staticContent(issuer);
    const issuerName = Buffer.from(encodeName(subjectAttributes(issuer.certificate)));
    const { notBefore, notAfter } = issuer.certificate;
    const { algorithm } = signatureSuites[issuer.keyType];
    return prepareSigning(profile, content, issuer, {
      name: issuerName,
      signatureAlgorithm: algorithm,
      notBefore,
      notAfter,
    });
  }

  function prepareSigning(
    profile: CertificateProfile,
    content: StaticContent,
    key: { readonly keyLabel: string; readonly keyType: EcdsaKeyType },
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

  /** The key of a supplied certificate: it must exist, since a new one could not match. */
  async function presentKey(keyLabel: string, commonName: string) {
    const key = await vault.findKey(keyLabel);
    if (key !== null) return key;
    throw new Error(
      `There is no key ${keyLabel} in the vault, for which the certificate of ${commonName} is given.`,
    );
  }

  async function bootstrap(name: CaName, above: Issuer | null): Promise<Issuer> {
    const { keyType, commonName, profile, certificatePath, crlPath } = authorities[name];
    const named = name === 'organization' ? options.organizationCa : undefined;
    const keyLabel = named?.keyLabel ?? `ca-${name}`;
    const given = named?.certificate;
    const { publicKey } =
      given === undefined
        ? await vault.ensureKey(keyLabel, keyType)
        : await presentKey(keyLabel, commonName);
    const keyIdentifier = keyIdentifierOf(publicKey);
    const urls = { certificate: `${baseUrl}${certificatePath}`, crl: `${baseUrl}${crlPath}` };
    const key = { keyLabel, keyType, keyIdentifier, urls };

    async function create(): Promise<Buffer> {
      const notBefore = earlier(clock.now(), above?.certificate.notBefore);
      const notAfter = new Date(notBefore);
      notAfter.setUTCFullYear(
        notBefore.getUTCFullYear() + (above === null ? years.root : years.issuing),
      );
      const subject = encodeName(legalPersonName(commonName, operator));
      const signatureAlgorithm = signatureSuites[keyType].algorithm;
      const issue =
        above === null
          ? prepareSigning(profile, staticContent(null), key, {
              name: subject,
              signatureAlgorithm,
              notBefore,
              notAfter,
            })
          : prepare(profile, above);
      const serial = randomness.bytes(16);
      serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
      const der = await issue({ serial, subject, publicKey, notBefore, notAfter }, keyType);
      return certificates.keep(name, der);
    }

    /** A replaced certificate would leave those issued under the old one without OCSP and CRL. */
    async function keepGiven(given: Buffer): Promise<Buffer> {
      const isOfRoot =
        above !== null &&
        new X509Certificate(given).verify(new X509Certificate(above.der).publicKey);
      if (!isOfRoot)
        throw new Error(
          `The certificate supplied for ${commonName} was not issued by the Root CA.`,
        );
      expectOwnKey(parseSignedCertificate(given));
      if ((await certificates.keep(name, given)).equals(given)) return given;
      throw new Error(`${commonName} already has another certificate than the supplied one.`);
    }

    function expectOwnKey({ publicKey: certified }: ParsedCertificate): void {
      if (certified.equals(publicKey)) return;
      throw new Error(
        `The certificate of ${commonName} is not of the key ${keyLabel} in the vault.`,
      );
    }

    const der =
      given === undefined
        ? ((await certificates.find(name)) ?? (await create()))
        : await keepGiven(given);
    const certificate = parseSignedCertificate(der);
    expectOwnKey(certificate);
    return { ...key, der, certificate, name: nameText(subjectAttributes(certificate)) };
  }

  function ordered(order: CertificateOrder) {
    if ('authority' in order) {
      const { authority, type, commonName } = order;
      return {
        authority,
        profile: type === 'TREE_KEY' ? treeKeyProfile : serviceProfileOf(type),
        subject: legalPersonName(commonName, operator),
      };
    }
    if (order.type === 'SEAL') {
      const { level, organization } = order;
      return {
        authority: authorityFor(organization.etsi),
        profile: sealProfileOf(level),
        subject: organizationName(organization),
      };
    }
    const { type, level, subject } = order;
    return {
      authority: authorityFor(subject.etsi),
      profile: citizenProfileOf(type, level),
      subject: personName(subject),
    };
  }

  return {
    async start() {
      if (issuers !== undefined) return;
      const root = await bootstrap('root', null);
      issuers = {
        root,
        personal: await bootstrap('personal', root),
        organization: await bootstrap('organization', root),
      };
    },
    issuer: (authority) => {
      const { name, der, certificate, keyLabel, keyType } = started()[authority];
      const { notBefore, notAfter } = certificate;
      return { authority, name, certificate: der, notBefore, notAfter, keyLabel, keyType };
    },
    beginOfValidity: (authority, now) => earlier(now, started()[authority].certificate.notBefore),
    issue(order) {
      const { authority, profile, subject } = ordered(order);
      const key = `${authority} ${profile.name}`;
      const issue = issueByProfile.get(key) ?? prepare(profile, started()[authority]);
      issueByProfile.set(key, issue);
      return issue(
        {
          serial: Buffer.from(order.serial, 'hex'),
          subject: encodeName(subject),
          publicKey: order.publicKey,
          notBefore: order.notBefore,
          notAfter: order.notAfter,
        },
        order.keyType,
      );
    },
    get certificates() {
      const { root, personal, organization } = started();
      return { root: root.der, issuing: [personal.der, organization.der] };
    },
  };
}
