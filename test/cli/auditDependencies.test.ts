import { expect } from 'chai';
import { judgeAudit } from '../../main/cli/auditDependencies.ts';

const reported = (severities: Readonly<Record<string, string>>) =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      Object.entries(severities).map(([name, severity]) => [name, { name, severity, via: [] }]),
    ),
  });

describe('The audit of dependencies in ./tamga check', () => {
  it('passes without findings, and with low and moderate ones', () => {
    expect(judgeAudit(reported({})).result).to.equal('passed');
    const { result, message } = judgeAudit(reported({ one: 'low', two: 'moderate' }));
    expect(result).to.equal('passed');
    expect(message).to.include('2 findings');
  });

  for (const severity of ['high', 'critical']) {
    it(`fails for a finding that is ${severity}, and names the package`, () => {
      const { result, message } = judgeAudit(reported({ one: 'low', bad: severity }));
      expect(result).to.equal('failed');
      expect(message).to.include(`bad (${severity})`).and.not.include('one');
    });
  }

  it('is skipped with the reason when the registry does not answer the question', () => {
    const refused = { message: '405 Method Not Allowed', statusCode: 405, error: { summary: '' } };
    const unreachable = { error: { code: 'ENOTFOUND', summary: 'getaddrinfo ENOTFOUND' } };
    for (const [output, reason] of [
      [JSON.stringify(refused), '405 Method Not Allowed'],
      [JSON.stringify(unreachable), 'getaddrinfo ENOTFOUND'],
      ['', 'npm said nothing'],
      ['<html>', 'npm said nothing'],
    ] as const) {
      const { result, message } = judgeAudit(output);
      expect(result, output).to.equal('skipped');
      expect(message).to.include(reason);
    }
  });

  it('fails for a fault of the installation, which no registry would mend', () => {
    const output = JSON.stringify({ error: { code: 'ENOLOCK', summary: 'needs a lockfile' } });
    expect(judgeAudit(output)).to.deep.equal({
      result: 'failed',
      message: 'The dependencies cannot be audited: needs a lockfile.',
    });
  });
});
