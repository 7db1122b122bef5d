import { X509Certificate } from 'node:crypto';
import {
  authorityFor,
  type CertificateAuthority,
  type CertificateOrder,
} from '../../application/ports/certificateAuthority.ts';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import type { CaCertificates, CaName } from './caCertificates.ts';
import {
  authorities,
  type CaIssuer,
  type CaIssuingOptions,
  caKeyLabel,
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
  /** CAs that issue no more. */
  readonly revokedIssuers: Pick<RevokedIssuers, 'of'>;
}

/** The authority with its start. */
export interface StartableCertificateAuthority extends CertificateAuthority {
  /**
   * Loads the three CAs, creating keys and certificates on the first start; several processes agree on the same ones.
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
  let issuers: Readonly<Record<CaName, StartedIssuer>> | undefined;

  function started(): Readonly<Record<CaName, StartedIssuer>> {
    if (issuers === undefined) throw new Error('The certificate authority was not started.');
    return issuers;
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

  async function bootstrap(name: CaName, above: StartedIssuer | null): Promise<StartedIssuer> {
    const { keyType, commonName } = authorities[name];
    const named = name === 'organization' ? options.organizationCa : undefined;
    const keyLabel = named?.keyLabel ?? caKeyLabel(name);
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
      throw new Error(`${commonName} already has another certificate than the supplied one.`);
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
      const root = (await offlineRoot()) ?? (await bootstrap('root', null));
      issuers = {
        root,
        personal: await bootstrap('personal', root),
        organization: await bootstrap('organization', root),
      };
    },
    issuer: (authority) => {
      const { name, der, certificate, keyLabel, keyType, isOnline } = started()[authority];
      const { notBefore, notAfter } = certificate;
      return {
        authority,
        name,
        certificate: der,
        notBefore,
        notAfter,
        keyLabel,
        keyType,
        isOnline,
      };
    },
    beginOfValidity: (authority, now) => earlier(now, started()[authority].certificate.notBefore),
    async issue(order) {
      const { authority, profile, subject } = ordered(order);
      await refuseRevokedIssuer(started()[authority], options.revokedIssuers);
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
