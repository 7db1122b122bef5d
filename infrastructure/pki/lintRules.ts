import { Version } from '@peculiar/asn1-x509';
import { derNull } from './kernel/der.ts';
import { policiesOf } from './extensions.ts';
import { isAllowedKey } from './lintKeys.ts';
import { qcLintRules } from './lintQcStatements.ts';
import { type LintRule, sameItems } from './lintRule.ts';
import { MAX_COMMON_NAME, MAX_NAME } from './names.ts';
import { oid } from './kernel/oids.ts';
import { extensionOf, read } from './parsedCertificate.ts';
import type { CertificateProfile } from './profiles.ts';
import { keyIdentifierOf } from './kernel/tbsCertificate.ts';

const DAY_MS = 86_400_000;

function isCritical(id: string, { isExtendedKeyUsageCritical }: CertificateProfile): boolean {
  if (id === oid.extendedKeyUsage) return isExtendedKeyUsageCritical;
  return id === oid.keyUsage || id === oid.basicConstraints;
}

const mandatoryAttributes = {
  // EN 319 412-2 §4.2.4 with the semantics identifier of EN 319 412-1 §5.1.3.
  naturalPerson: [oid.countryName, oid.surname, oid.givenName, oid.serialNumber, oid.commonName],
  // EN 319 412-2 §4.2.3.1.
  ca: [oid.countryName, oid.organizationName, oid.organizationIdentifier, oid.commonName],
  // EN 319 412-3 §4.2.1.
  legalPerson: [oid.countryName, oid.organizationName, oid.organizationIdentifier, oid.commonName],
  // EN 319 412-3 §4.2.1, which allows further attributes.
  organization: [
    oid.countryName,
    oid.organizationName,
    oid.organizationIdentifier,
    oid.serialNumber,
    oid.commonName,
  ],
} as const;

/** Every rule with the clause it enforces. */
export const lintRules: readonly LintRule[] = [
  {
    name: 'version',
    clause: 'RFC 5280 §4.1.2.1',
    holds: ({ tbs }) => tbs.version === Version.v3,
  },
  {
    name: 'serial-number',
    clause: 'RFC 5280 §4.1.2.2, EN 319 412-2 §4.2.2: positive, at most 20 octets, unpredictable',
    holds: ({ serial }) =>
      serial.length >= 15 &&
      serial.length <= 20 &&
      (serial[0] ?? 0x80) < 0x80 &&
      serial.some(Boolean),
  },
  {
    name: 'signature-algorithm',
    clause: 'RFC 5280 §4.1.2.3, RFC 5758 §3.2',
    holds: ({ tbs }, { issuer }) =>
      tbs.signature.algorithm === issuer.signatureAlgorithm && !tbs.signature.parameters,
  },
  {
    name: 'issuer-name',
    clause: 'RFC 5280 §4.1.2.4: byte for byte the issuer’s subject',
    holds: (certificate, { issuer }) => certificate.issuer.equals(issuer.name),
  },
  {
    name: 'validity-order',
    clause: 'RFC 5280 §4.1.2.5',
    holds: ({ notBefore, notAfter }) => notBefore < notAfter,
  },
  {
    name: 'validity-encoding',
    clause: 'RFC 5280 §4.1.2.5: UTCTime through 2049, GeneralizedTime from 2050',
    holds: ({ tbs: { validity } }) =>
      [validity.notBefore, validity.notAfter].every(
        (time) => (time.utcTime !== undefined) === time.getTime().getUTCFullYear() < 2050,
      ),
  },
  {
    name: 'validity-within-issuer',
    clause: 'RFC 5280 §6.1.3 (shell model)',
    holds: ({ notBefore, notAfter }, { issuer, profile }) =>
      profile.selfSigned || (notBefore >= issuer.notBefore && notAfter <= issuer.notAfter),
  },
  {
    name: 'validity-length',
    clause: 'EN 319 411-1 §6.3.3',
    holds: ({ notBefore, notAfter }, { profile }) =>
      notAfter.getTime() - notBefore.getTime() <= profile.maxDays * DAY_MS,
  },
  {
    name: 'subject-attributes',
    clause:
      'EN 319 412-2 §4.2.4, EN 319 412-3 §4.2.1: exactly the mandatory ones, once each, not empty',
    holds: ({ subject }, { profile }) => {
      const mandatory = mandatoryAttributes[profile.subject];
      return (
        subject.size === mandatory.length &&
        mandatory.every((type) => {
          const values = subject.get(type) ?? [];
          return values.length === 1 && values[0]?.text.trim() !== '';
        })
      );
    },
  },
  {
    name: 'subject-encoding',
    clause:
      'RFC 5280 §4.1.2.4, X.520: country and serialNumber PrintableString, all else UTF8String',
    holds: ({ subject }) =>
      [...subject].every(([type, values]) =>
        values.every(({ encoding, text }) =>
          type === oid.countryName || type === oid.serialNumber
            ? encoding === 'printable' && /^[A-Za-z0-9 '()+,./:=?-]*$/.test(text)
            : encoding === 'utf8',
        ),
      ),
  },
  {
    name: 'subject-country',
    clause: 'EN 319 412-2 §4.2.4: ISO 3166, that of the identifier',
    holds: ({ subject }, { profile }) => {
      const country = text(subject.get(oid.countryName));
      const identifier = text(
        subject.get(
          profile.subject === 'naturalPerson' ? oid.serialNumber : oid.organizationIdentifier,
        ),
      );
      return (
        /^[A-Z]{2}$/.test(country) &&
        (profile.subject === 'ca' || identifier.slice(3, 5) === country)
      );
    },
  },
  {
    name: 'subject-identifier',
    clause: 'EN 319 412-1 §5.1.3, §5.1.4',
    holds: ({ subject }, { profile }) =>
      profile.subject === 'naturalPerson'
        ? /^PNO[A-Z]{2}-\d{12}$/.test(text(subject.get(oid.serialNumber)))
        : /^NTR[A-Z]{2}-\S+$/.test(text(subject.get(oid.organizationIdentifier))),
  },
  {
    name: 'subject-name-length',
    clause: 'RFC 5280 appendix A: ub-common-name, ub-name; no control characters',
    holds: ({ subject }) =>
      [...subject].every(([type, values]) => {
        const longest = type === oid.commonName ? MAX_COMMON_NAME : MAX_NAME;
        return values.every(
          (value) => Array.from(value.text).length <= longest && !hasControl(value.text),
        );
      }),
  },
  {
    name: 'public-key',
    clause: 'ETSI TS 119 312 §6.2: P-256 or P-384 as named curve, RSA 2048 to 4096 with e ≥ 65537',
    holds: ({ publicKey }, { keyType }) => isAllowedKey(publicKey, keyType),
  },
  {
    name: 'no-unique-identifiers',
    clause: 'RFC 5280 §4.1.2.8',
    holds: ({ tbs }) => tbs.issuerUniqueID === undefined && tbs.subjectUniqueID === undefined,
  },
  {
    name: 'no-duplicate-extensions',
    clause: 'RFC 5280 §4.2',
    holds: ({ extensions }) =>
      new Set(extensions.map(({ extnID }) => extnID)).size === extensions.length,
  },
  {
    name: 'critical-flags',
    clause:
      'RFC 5280 §4.2.1.3, §4.2.1.9, RFC 3161 §2.3; all others not critical (EN 319 412-2 §4.3, EN 319 412-5 §4.1)',
    holds: ({ extensions }, { profile }) =>
      extensions.every(({ extnID, critical }) => critical === isCritical(extnID, profile)),
  },
  {
    name: 'known-extensions',
    clause: 'EN 319 412-2 §4.3: only those of the profile',
    holds: ({ extensions }) => extensions.every(({ extnID }) => knownExtensions.has(extnID)),
  },
  {
    name: 'key-usage',
    clause: 'RFC 5280 §4.2.1.3, EN 319 412-2 §4.3.2',
    holds: (certificate, { profile }) =>
      sameItems(
        (read.keyUsage(certificate) ?? []).map((name) => (name === 'crlSign' ? 'cRLSign' : name)),
        profile.keyUsage,
      ),
  },
  {
    name: 'extended-key-usage',
    clause: 'RFC 5280 §4.2.1.12, EN 319 412-2 §4.3.10',
    holds: (certificate, { profile }) =>
      sameItems(Array.from(read.extendedKeyUsage(certificate) ?? []), profile.extendedKeyUsage),
  },
  {
    name: 'basic-constraints',
    clause: 'RFC 5280 §4.2.1.9',
    holds: (certificate, { profile }) => {
      const actual = read.basicConstraints(certificate);
      if (profile.basicConstraints === null) return actual === undefined;
      return (
        actual?.cA === true &&
        (actual.pathLenConstraint ?? null) === profile.basicConstraints.pathLength
      );
    },
  },
  {
    name: 'certificate-policies',
    clause: 'EN 319 411-1 §5.3, EN 319 411-2 §5.3, EN 319 412-2 §4.3.3',
    holds: (certificate, { profile, content }) =>
      sameItems(read.policies(certificate) ?? [], policiesOf(profile, content.policyArc)),
  },
  {
    name: 'subject-key-identifier',
    clause: 'RFC 5280 §4.2.1.2 method 1',
    holds: (certificate) => {
      const identifier = read.subjectKeyIdentifier(certificate);
      return (
        identifier !== undefined &&
        Buffer.from(identifier.buffer).equals(keyIdentifierOf(certificate.publicKey))
      );
    },
  },
  {
    name: 'authority-key-identifier',
    clause: 'RFC 5280 §4.2.1.1: the issuer’s subject key identifier',
    holds: (certificate, { content }) => {
      const identifier = read.authorityKeyIdentifier(certificate)?.keyIdentifier;
      if (content.issuerKeyIdentifier === null) {
        return extensionOf(certificate, oid.authorityKeyIdentifier) === undefined;
      }
      return (
        identifier !== undefined &&
        Buffer.from(identifier.buffer).equals(content.issuerKeyIdentifier)
      );
    },
  },
  {
    name: 'authority-information-access',
    clause: 'EN 319 412-2 §4.4.1: OCSP and the issuer’s certificate, over http',
    holds: (certificate, { profile, content }) => {
      const actual = read.accessDescriptions(certificate) ?? [];
      const expected = profile.selfSigned
        ? []
        : [
            ...(profile.status === 'ocspAndCrl'
              ? [{ accessMethod: oid.ocsp, url: content.ocspUrl }]
              : []),
            { accessMethod: oid.caIssuers, url: content.issuerCertificateUrl },
          ];
      return (
        sameItems(
          actual.map(({ accessMethod, url }) => `${accessMethod} ${url}`),
          expected.map(({ accessMethod, url }) => `${accessMethod} ${url}`),
        ) && actual.every(({ url }) => isHttp(url))
      );
    },
  },
  {
    name: 'crl-distribution-points',
    clause: 'RFC 5280 §4.2.1.13, EN 319 412-2 §4.3.11: over http',
    holds: (certificate, { profile, content }) => {
      const actual = read.distributionPoints(certificate) ?? [];
      return sameItems(actual, hasList(profile) ? [content.crlUrl] : []) && actual.every(isHttp);
    },
  },
  {
    name: 'ocsp-no-check',
    clause: 'RFC 6960 §4.2.2.2.1: NULL, in the certificates of OCSP responders alone',
    holds: (certificate, { profile }) => {
      const value = extensionOf(certificate, oid.ocspNoCheck)?.extnValue.buffer;
      if (profile.status !== 'noCheck') return value === undefined;
      return value !== undefined && derNull.equals(Buffer.from(value));
    },
  },
  ...qcLintRules,
];

const knownExtensions: ReadonlySet<string> = new Set([
  oid.subjectKeyIdentifier,
  oid.keyUsage,
  oid.basicConstraints,
  oid.crlDistributionPoints,
  oid.certificatePolicies,
  oid.authorityKeyIdentifier,
  oid.extendedKeyUsage,
  oid.authorityInformationAccess,
  oid.qcStatements,
  oid.ocspNoCheck,
]);

function hasList({ selfSigned, status }: CertificateProfile): boolean {
  return !selfSigned && status !== 'noCheck';
}

function text(values: readonly { readonly text: string }[] | undefined): string {
  return values?.[0]?.text ?? '';
}

function hasControl(value: string): boolean {
  return /\p{Cc}/u.test(value);
}

function isHttp(url: string): boolean {
  return url.startsWith('http://') && URL.canParse(url);
}
