import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { IssuingAuthority } from '../../domain/shared/issuingCas.ts';
import { hasTrustedPath } from '../../infrastructure/pki/certificatePath.ts';
import { createMemoryCaCertificates, startTestAuthority } from '../support/doubles/memoryPki.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import { certifyGeneration } from '../support/pki/nextGeneration.ts';
import { startPdfWorld } from '../support/worlds/pdfWorld.ts';

describe('A PDF stamped for signers of two generations of a CA', () => {
  it('carries the CA and the responder of the one that issued', async () => {
    const kept = new Map<IssuingAuthority, Buffer>();
    const certificates = createMemoryCaCertificates(kept);
    const former = await startTestAuthority({ certificates });
    await certifyGeneration('personal-2', former, kept);
    const world = await startPdfWorld({}, { certificates, vault: former.vault });
    try {
      const [first, second] = [kept.get('personal'), kept.get('personal-2')];
      if (!first || !second) throw new Error('There are too few CAs.');
      for (const [issuer, own, other] of [
        ['personal', first, second],
        ['personal-2', second, first],
      ] as const) {
        const signer = await world.newSigner('P-256', {}, issuer);
        const original = onePage();
        const digest = createHash('sha256').update(original).digest();
        const session = await world.signed(signer, digest);
        const stamped = await world.stamping.stamp(Buffer.from(original), session, null);
        if ('refused' in stamped) throw new Error('The document was refused.');
        expect(stamped.pdf.includes(own), issuer).to.equal(true);
        expect(stamped.pdf.includes(other), issuer).to.equal(false);
        const trust = { anchors: [world.root] };
        const { certificate } = signer.signer;
        expect(hasTrustedPath(certificate, [own], trust, new Date())).to.equal(true);
      }
    } finally {
      await world.stop();
      await former.stop();
    }
  });
});
