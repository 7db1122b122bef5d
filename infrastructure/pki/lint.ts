import { derTag, readDer } from './kernel/derReader.ts';
import type { LintExpectation, LintRule } from './lintRule.ts';
import { lintRules } from './lintRules.ts';
import { type ParsedCertificate, parseCertificate } from './parsedCertificate.ts';

/** Names of the rules that the to-be-signed bytes violate; `['well-formed']` when they cannot be parsed. */
export function lintFindings(tbs: Buffer, expected: LintExpectation): readonly string[] {
  let certificate: ParsedCertificate;
  try {
    // The parser ignores trailing bytes; the signed bytes must be the certificate alone.
    readDer(tbs, derTag.sequence);
    certificate = parseCertificate(tbs);
  } catch {
    return ['well-formed'];
  }
  return lintRules.filter((rule) => !holds(rule, certificate, expected)).map(({ name }) => name);
}

/** Rejects bytes that violate a rule. @throws Error naming the rules and their clauses */
export function refuseWrongProfile(tbs: Buffer, expected: LintExpectation): void {
  const findings = lintFindings(tbs, expected);
  if (findings.length === 0) return;
  const clauses = findings.map((name) => {
    const rule = lintRules.find((candidate) => candidate.name === name);
    return rule === undefined ? name : `${name} (${rule.clause})`;
  });
  throw new Error(
    `The certificate does not conform to the profile ${expected.profile.name}: ${clauses.join('; ')}.`,
  );
}

function holds(rule: LintRule, certificate: ParsedCertificate, expected: LintExpectation): boolean {
  try {
    return rule.holds(certificate, expected);
  } catch {
    return false;
  }
}
