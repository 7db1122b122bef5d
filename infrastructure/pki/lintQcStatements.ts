import { AsnConvert } from '@peculiar/asn1-schema';
import { QcCClegislation, QcEuPDS, QcType } from '@peculiar/asn1-x509-qualified-etsi';
import { qcTypes, semanticsOf } from './extensions.ts';
import { derOid, derSequence } from './kernel/der.ts';
import { oid } from './kernel/oids.ts';
import { type LintExpectation, type LintRule, sameItems } from './lintRule.ts';
import { type ParsedCertificate, read } from './parsedCertificate.ts';

const statementsOf = ({ profile }: LintExpectation): readonly string[] => {
  const qc = profile.qcStatements;
  if (qc === null) return [];
  return [
    oid.pkixQcSyntaxV2,
    ...(qc.compliance ? [oid.qcCompliance, oid.qcCcLegislation] : []),
    ...(qc.sscd ? [oid.qcSscd] : []),
    ...(qc.type === null ? [] : [oid.qcType]),
    ...(qc.pds ? [oid.qcPds] : []),
  ];
};

/** Rules about the statements of qualified certificates (EN 319 412-5). */
export const qcLintRules: readonly LintRule[] = [
  {
    name: 'qc-statements',
    clause: 'EN 319 412-5 §4.2, §5: exactly those of the level',
    holds: (certificate, expected) =>
      sameItems(
        (read.qcStatements(certificate) ?? []).map(({ id }) => id),
        statementsOf(expected),
      ),
  },
  {
    name: 'qc-semantics',
    clause: 'EN 319 412-1 §5.1.2',
    holds: (certificate, expected) =>
      forStatement(certificate, expected, oid.pkixQcSyntaxV2, (info) => {
        const { qcStatements } = expected.profile;
        if (qcStatements === null) return false;
        return derSequence(derOid(semanticsOf(qcStatements))).equals(Buffer.from(info));
      }),
  },
  {
    name: 'qc-type',
    clause: 'EN 319 412-5 §4.2.3',
    holds: (certificate, expected) =>
      forStatement(certificate, expected, oid.qcType, (info) =>
        sameItems(
          [...AsnConvert.parse(info, QcType)],
          [qcTypes[expected.profile.qcStatements?.type ?? 'esign']],
        ),
      ),
  },
  {
    name: 'qc-legislation',
    clause: 'EN 319 412-5 §4.2.4',
    holds: (certificate, expected) =>
      forStatement(certificate, expected, oid.qcCcLegislation, (info) =>
        sameItems([...AsnConvert.parse(info, QcCClegislation)], [expected.content.legislation]),
      ),
  },
  {
    name: 'qc-disclosure-statements',
    clause:
      'EN 319 412-5 §4.3.4: at least one, over https, language ISO 639-1, one of them English',
    holds: (certificate, expected) =>
      forStatement(certificate, expected, oid.qcPds, (info) => {
        const locations = [...AsnConvert.parse(info, QcEuPDS)];
        return (
          locations.some(({ language }) => language === 'en') &&
          locations.every(
            ({ url, language }) => url.startsWith('https://') && /^[a-z]{2}$/.test(language),
          )
        );
      }),
  },
];

function forStatement(
  certificate: ParsedCertificate,
  expected: LintExpectation,
  id: string,
  check: (info: ArrayBuffer) => boolean,
): boolean {
  if (!statementsOf(expected).includes(id)) return true;
  const info = read.qcStatements(certificate)?.find((statement) => statement.id === id)?.info;
  return info !== undefined && check(info);
}
