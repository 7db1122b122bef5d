import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { certificateLevels } from '../../domain/shared/certificateLevel.ts';
import { startTestAuthority, type TestAuthority } from '../support/doubles/memoryPki.ts';
import { type PythonEnvironment, pythonPackage } from '../support/programs/pythonPackages.ts';
import { ecKey, order, rsaKey, sealOrder, serviceOrder } from '../support/pki/pkiFixtures.ts';

const run = promisify(execFile);

describe('Certificates before an independent linter (pkilint)', function () {
  this.timeout(300_000);
  let directory: string;
  let test: TestAuthority;
  let pkilint: PythonEnvironment;

  before(async function () {
    directory = await mkdtemp(join(tmpdir(), 'tamga-pkilint-'));
    test = await startTestAuthority({ baseUrl: 'http://pki.example.com' });
    const found = await pythonPackage('pkilint');
    if (typeof found === 'string') {
      console.log(`skipped: ${found}`);
      return this.skip();
    }
    pkilint = found;
  });

  after(async () => {
    await test.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** Findings from NOTICE up, as `code (severity)`. */
  async function findings(tool: string, der: Buffer, ...more: readonly string[]): Promise<string> {
    const file = join(directory, 'certificate.der');
    await writeFile(file, der);
    const linter = [pkilint.script(tool), 'lint', ...more, '-s', 'NOTICE', file];
    // The exit code is the number of findings.
    const { stdout } = await run(pkilint.python, linter).catch(
      (error: unknown) => error as { readonly stdout: string },
    );
    return stdout.trim();
  }

  for (const keyType of ['P-256', 'RSA'] as const) {
    for (const [type, level] of [
      ...certificateLevels.map((each) => ['AUTH', each] as const),
      ['SIGN', 'ADVANCED'] as const,
    ]) {
      it(`keeps the NCP profile for natural persons: ${type} ${level} ${keyType}`, async () => {
        const { publicKey } = keyType === 'RSA' ? rsaKey() : ecKey();
        const der = await test.authority.issue(order(publicKey, { type, level, keyType }));
        expect(
          await findings('lint_etsi_cert', der, '-t', 'NCP-NATURAL-PERSON-CERTIFICATE'),
        ).to.equal('');
      });
    }

    it(`keeps the QCP-n-qscd profile under national law: SIGN QSCD ${keyType}`, async () => {
      const { publicKey } = keyType === 'RSA' ? rsaKey() : ecKey();
      const der = await test.authority.issue(order(publicKey, { level: 'QSCD', keyType }));
      expect(
        await findings('lint_etsi_cert', der, '-t', 'QCP-N-QSCD-NON-EIDAS-FINAL-CERTIFICATE'),
      ).to.equal('');
    });
  }

  it('differs from QCP-n-qscd in the policy alone: SIGN QUALIFIED', async () => {
    const der = await test.authority.issue(order(ecKey().publicKey));
    const found = await findings(
      'lint_etsi_cert',
      der,
      ...['-t', 'QCP-N-QSCD-NON-EIDAS-FINAL-CERTIFICATE'],
    );
    // Accepted: the tool has no type for QCP-n without a device, so it holds the certificate against the other policy.
    expect(found.match(/\((FATAL|ERROR|WARNING|NOTICE)\)/g)).to.have.length(1);
    expect(found).to.include('mismatched_policy_identifier_for_certificate_type');
  });

  it('keeps the QCP-l-qscd profile under national law: SEAL QSCD', async () => {
    const der = await test.authority.issue(sealOrder(ecKey().publicKey, { level: 'QSCD' }));
    expect(
      await findings('lint_etsi_cert', der, '-t', 'QCP-L-QSCD-NON-EIDAS-FINAL-CERTIFICATE'),
    ).to.equal('');
  });

  const legalPerson = ['-t', 'NCP-LEGAL-PERSON-CERTIFICATE'];

  it('keeps the NCP profile for legal persons: DOCUMENT', async () => {
    const der = await test.authority.issue(serviceOrder(ecKey().publicKey, 'DOCUMENT'));
    expect(await findings('lint_etsi_cert', der, ...legalPerson)).to.equal('');
  });

  it('differs from the NCP profile for legal persons in a critical usage alone: TSA', async () => {
    const der = await test.authority.issue(serviceOrder(ecKey().publicKey, 'TSA'));
    const found = await findings('lint_etsi_cert', der, ...legalPerson);
    // Accepted: RFC 3161 §2.3 wants critical what EN 319 412-2 §4.3.10 wants not critical.
    expect(found.match(/\((FATAL|ERROR|WARNING|NOTICE)\)/g)).to.have.length(1);
    expect(found).to.include('eku_extension_is_critical');
  });

  it('keeps RFC 5280: the OCSP responder', async () => {
    const der = await test.authority.issue(serviceOrder(ecKey().publicKey, 'OCSP'));
    expect(await findings('lint_pkix_cert', der)).to.equal('');
  });

  it('keeps RFC 5280: keys of the audit tree', async () => {
    const { root } = test.authority.certificates;
    const order = serviceOrder(ecKey().publicKey, 'DOCUMENT');
    const der = await test.authority.issue({ ...order, type: 'TREE_KEY', authority: 'root' });
    expect(await findings('lint_pkix_cert', der)).to.equal('');
    expect(new X509Certificate(der).checkIssued(new X509Certificate(root))).to.equal(true);
  });

  it('keeps RFC 5280: the CA certificates', async () => {
    const { root, issuing } = test.authority.certificates;
    for (const der of [root, ...issuing]) {
      expect(await findings('lint_pkix_cert', der)).to.equal('');
    }
  });
});
