import { X509Certificate } from 'node:crypto';
import type {
  CertificateAuthority,
  CertificateOrder,
  Issuer,
} from '../../application/ports/certificateAuthority.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import {
  type CaKind,
  caKinds,
  type IssuingAuthority,
  type IssuingCa,
  issuingCas,
} from '../../domain/shared/issuingCas.ts';
import type { CaCertificates } from './caCertificates.ts';
import {
  type CaIssuer,
  type CaIssuingOptions,
  caKeyLabel,
  caOf,
  createCaIssuing,
  type Issue,
} from './caIssuing.ts';
import {
  expectNoRootKeyIn,
  expectRootCertificate,
  type KeyPlace,
  notCertified,
} from './offlineRootRule.ts';
import { refuseRevokedIssuer, type RevokedIssuers } from './revokedIssuers.ts';
import { readCertificate } from './kernel/certificate.ts';
import { parseSignedCertificate } from './parsedCertificate.ts';
import { encodeName } from './kernel/name.ts';
import { legalPersonName, organizationName, personName } from './names.ts';
import { citizenProfileOf, sealProfileOf, serviceProfileOf, treeKeyProfile } from './profiles.ts';

export interface CertificateAuthorityOptions extends CaIssuingOptions {
  readonly vault: KeyVault;
  readonly certificates: CaCertificates;
  /** The Organization CA's key and certificate when supplied by the operator; to be set before the first start. */
  readonly organizationCa?: {
    /** Default `ca-organization`. */
    readonly keyLabel?: string | undefined;
    /** DER, issued by the Root CA for that key; default: issued at the first start. */
    readonly certificate?: Buffer | undefined;
  };
  /**
   * Vaults that must not hold the root's key, which is then not made at the first start either. Default: it may be in
   * the vault, and is used there; without it the root is offline.
   */
  readonly noRootKeyIn?: readonly KeyPlace[];
  /** Generations of a kind of issuing CA, by their last activation; default: none, the first one issues. */
  readonly activated?: (kind: CaKind) => Promise<readonly IssuingCa[]>;
  /** CAs that issue no more. */
  readonly revokedIssuers: Pick<RevokedIssuers, 'of'>;
}

/** The authority with its start. */
export interface StartableCertificateAuthority extends CertificateAuthority {
  /**
   * Loads the CAs, creating keys and certificates of root and first generations on the first start; several processes
   * agree on the same ones.
   *
   * @throws Unavailable when the vault or the database does not answer
   * @throws Misconfigured when the root's key is where it must not be, or an offline root has not certified a CA
   * @throws Error when a stored or supplied certificate is not of the key in the vault, or a supplied one not issued by
   * the Root CA
   */
  start(): Promise<void>;
}

/** An authority; its key is in the vault unless it is an offline root. */
type StartedIssuer = CaIssuer & { readonly isOnline: boolean };

/**
 * The platform's own PKI: Root CA, Personal and Organization issuing CA. Construction does no I/O.
 *
 * @throws Error when the base address is not plain http
 */
export function createCertificateAuthority(
  options: CertificateAuthorityOptions,
): StartableCertificateAuthority {
  const { vault, certificates } = options;
  const issuing = createCaIssuing(options);
  const { operator, earlier, prepare } = issuing;
  const issueByProfile = new Map<string, Issue>();
  let issuers: ReadonlyMap<IssuingAuthority, StartedIssuer> | undefined;
  const { activated = () => Promise.resolve([]) } = options;

  function started(): ReadonlyMap<IssuingAuthority, StartedIssuer> {
    if (issuers === undefined) throw new Error('The certificate authority was not started.');
    return issuers;
  }

  function startedIssuer(name: IssuingAuthority): StartedIssuer {
    const found = started().get(name);
    if (found !== undefined) return found;
    throw new Unavailable(
      'issuingAuthority',
      new Error(`${caOf(name).commonName} was installed after this process started.`),
    );
  }

  const known = () => issuingCas.filter((name) => started().has(name));

  function issuer<Name extends IssuingAuthority>(
    name: Name,
  ): Issuer & { readonly authority: Name } {
    const { name: text, der, certificate, keyLabel, keyType, isOnline } = startedIssuer(name);
    const { notBefore, notAfter } = certificate;
    return {
      authority: name,
      name: text,
      certificate: der,
      notBefore,
      notAfter,
      keyLabel,
      keyType,
      isOnline,
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

  /** The root, when its certificate was installed and its key is elsewhere; null: its key is here, or to be made. */
  async function offlineRoot(): Promise<StartedIssuer | null> {
    if (options.noRootKeyIn !== undefined) {
      await expectNoRootKeyIn(options.noRootKeyIn);
      await expectRootCertificate(certificates);
    }
    // Certificate first: another process at its first start keeps the key before the certificate.
    const der = await certificates.find('root');
    if (der === null || (await vault.findKey(caKeyLabel('root'))) !== null) return null;
    const { publicKey } = parseSignedCertificate(der);
    const key = issuing.keyOf('root', publicKey);
    return { ...issuing.issuerOf('root', der, publicKey, key), isOnline: false };
  }

  async function bootstrap(
    name: 'root' | CaKind,
    above: StartedIssuer | null,
  ): Promise<StartedIssuer> {
    const { keyType, commonName } = caOf(name);
    const named = name === 'organization' ? options.organizationCa : undefined;
    const keyLabel = caKeyLabel(name, named?.keyLabel);
    const given = named?.certificate;
    const { publicKey } =
      given === undefined
        ? await vault.ensureKey(keyLabel, keyType)
        : await presentKey(keyLabel, commonName);
    const key = issuing.keyOf(name, publicKey, keyLabel);

    /** A replaced certificate would leave those issued under the old one without OCSP and CRL. */
    async function keepGiven(given: Buffer): Promise<Buffer> {
      const isOfRoot =
        above !== null &&
        new X509Certificate(given).verify(new X509Certificate(above.der).publicKey);
      if (!isOfRoot)
        throw new Error(
          `The certificate supplied for ${commonName} was not issued by the Root CA.`,
        );
      issuing.issuerOf(name, given, publicKey, key);
      if ((await certificates.keep(name, given)).equals(given)) return given;
      throw new Error(
        `${commonName} already has a certificate that differs from the supplied one.`,
      );
    }

    async function create(): Promise<Buffer> {
      if (name !== 'root' && above?.isOnline === false) throw notCertified(name);
      return certificates.keep(name, await issuing.issueCa(name, publicKey, key, above));
    }

    const der =
      given === undefined
        ? ((await certificates.find(name)) ?? (await create()))
        : await keepGiven(given);
    return { ...issuing.issuerOf(name, der, publicKey, key), isOnline: true };
  }

  /** A generation after the first: its key and certificate came by a ceremony. */
  async function later(name: IssuingCa, der: Buffer): Promise<StartedIssuer> {
    const keyLabel = caKeyLabel(name, options.organizationCa?.keyLabel);
    const { publicKey } = await presentKey(keyLabel, caOf(name).commonName);
    const key = issuing.keyOf(name, publicKey, keyLabel);
    return { ...issuing.issuerOf(name, der, publicKey, key), isOnline: true };
  }

  async function loaded(): Promise<ReadonlyMap<IssuingAuthority, StartedIssuer>> {
    const root = (await offlineRoot()) ?? (await bootstrap('root', null));
    const found = new Map<IssuingAuthority, StartedIssuer>([['root', root]]);
    for (const kind of caKinds) found.set(kind, await bootstrap(kind, root));
    const kept = await certificates.all();
    for (const name of issuingCas) {
      const der = kept.get(name);
      if (der !== undefined && !found.has(name)) found.set(name, await later(name, der));
    }
    return found;
  }

  function ordered(order: CertificateOrder) {
    if ('commonName' in order) {
      const { type, commonName } = order;
      return {
        profile: type === 'TREE_KEY' ? treeKeyProfile : serviceProfileOf(type),
        subject: legalPersonName(commonName, operator),
      };
    }
    if (order.type === 'SEAL') {
      const { level, organization } = order;
      return { profile: sealProfileOf(level), subject: organizationName(organization) };
    }
    const { type, level, subject } = order;
    return { profile: citizenProfileOf(type, level), subject: personName(subject) };
  }

  return {
    async start() {
      issuers ??= await loaded();
    },
    issuer,
    async active(kind) {
      const names = (await activated(kind)).filter((name) => started().has(name));
      return issuer(names.at(-1) ?? kind);
    },
    issuerOf(certificate) {
      const { issuerKeyIdentifier } = readCertificate(certificate);
      const name = known().find(
        (each) => issuerKeyIdentifier?.equals(startedIssuer(each).keyIdentifier) === true,
      );
      if (name !== undefined) return issuer(name);
      throw new Unavailable(
        'issuingAuthority',
        new Error('This process does not know the issuing CA of the certificate.'),
      );
    },
    get issuingCas() {
      return known();
    },
    beginOfValidity: (authority, now) =>
      earlier(now, startedIssuer(authority).certificate.notBefore),
    isRevoked: async (authority) =>
      (await options.revokedIssuers.of(startedIssuer(authority).der)) !== null,
    async issue(order) {
      const { authority } = order;
      const { profile, subject } = ordered(order);
      const above = startedIssuer(authority);
      await refuseRevokedIssuer(above, options.revokedIssuers);
      const key = `${authority} ${profile.name}`;
      const issue = issueByProfile.get(key) ?? prepare(profile, above);
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
      return {
        root: startedIssuer('root').der,
        issuing: known().map((name) => startedIssuer(name).der),
      };
    },
  };
}
