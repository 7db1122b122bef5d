import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isInstalled } from '../../main/cli/test.ts';
import { compareFile } from '../../client/signedFile.ts';
import { sha256, sha256Hex } from '../../domain/shared/digest.ts';
import { openPdf } from '../../infrastructure/pdf/document.ts';
import { inspectSignatures } from '../../infrastructure/pdf/earlierSignatures.ts';
import { PdfFault } from '../../infrastructure/pdf/faults.ts';
import { recognise } from '../../infrastructure/pdf/recognise.ts';
import {
  type Attack,
  attacksOn,
  byteRangeOf,
  shadowAttacksOn,
  shadowedDocument,
} from '../support/pdf/attacks.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import {
  verificationPageSays,
  verificationPageSaysAtLoad,
} from '../support/pdf/verificationPage.ts';
import { run } from '../support/programs/tools.ts';
import { type PdfWorld, startPdfWorld, type TestSigner } from '../support/worlds/pdfWorld.ts';

/** A signed file, and what is known of it. */
interface Signed {
  readonly file: Buffer;
  /** Of what the citizen signed; null: from within the PDF. */
  readonly original: Buffer | null;
  readonly attacks: readonly Attack[];
}

describe('F2: published attacks on signed PDFs', function () {
  this.timeout(120_000);
  let world: PdfWorld;
  let signer: TestSigner;
  let directory: string;
  let files: Readonly<Record<string, Signed>>;

  before(async () => {
    world = await startPdfWorld();
    signer = await world.newSigner('P-256');
    directory = await mkdtemp(join(tmpdir(), 'tamga-attacks-'));
    const contract = onePage();
    const shadowed = shadowedDocument();
    const stamped = await stamp(contract);
    const signed = await sign(contract);
    const stampedShadow = await stamp(shadowed);
    const signedShadow = await sign(shadowed);
    files = {
      'a stamped document': { file: stamped, original: contract, attacks: attacksOn(stamped) },
      'a document signed from within': { file: signed, original: null, attacks: attacksOn(signed) },
      'a stamped document with another in it': {
        file: stampedShadow,
        original: shadowed,
        attacks: shadowAttacksOn(stampedShadow),
      },
      'a document signed from within with another in it': {
        file: signedShadow,
        original: null,
        attacks: shadowAttacksOn(signedShadow),
      },
    };
  });

  after(async () => {
    await world.stop();
    await rm(directory, { recursive: true });
  });

  async function stamp(document: Buffer): Promise<Buffer> {
    const session = await world.signed(signer, sha256(document));
    const result = await world.stamping.stamp(Buffer.from(document), session, null);
    if ('refused' in result) throw new Error(result.refused);
    return result.pdf;
  }

  async function sign(document: Buffer): Promise<Buffer> {
    const result = await world.stamping.prepare({
      document: Buffer.from(document),
      fileName: null,
      signer: signer.signer,
      preparedId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
      relyingPartyName: 'Bank',
      hash: 'SHA256',
      now: new Date(),
    });
    if ('refused' in result) throw new Error(result.refused);
    const session = await world.signed(signer, sha256(result.prepared.attributes));
    return world.stamping.complete(result.prepared, session);
  }

  /** Of the signed file, the part that ends with the revision of its signature: all of it is covered. */
  function covered(file: Buffer): Buffer {
    const [, , second = 0, length = 0] = byteRangeOf(file);
    return file.subarray(0, second + length);
  }

  const knownToPage = ({ file, original }: Signed) => ({
    hash: 'SHA-256',
    digest: sha256Hex(original ?? file),
    made: [sha256Hex(file)],
    whole: original === null ? 'stamped' : 'same',
    otherwise: original === null ? 'unknown' : 'different',
  });
  const pageSays = (signed: Signed, dropped: Buffer) =>
    verificationPageSays(dropped, knownToPage(signed));
  const knownOf = ({ file, original }: Signed) =>
    [original, file].flatMap((each) => (each === null ? [] : [sha256Hex(each)]));
  const inLibrary = (digests: readonly string[]) =>
    digests.map((digest) => ({ digestB64: Buffer.from(digest, 'hex').toString('base64') }));

  it('are told from the files themselves, to which everybody says yes', async () => {
    for (const [name, signed] of Object.entries(files)) {
      const { file } = signed;
      expect(await pageSays(signed, file), name).to.equal('stamped');
      const found = recognise(file, knownOf(signed));
      expect(found).to.deep.equal({ result: 'signed', sha256: sha256Hex(file) });
      expect(compareFile(file, inLibrary(knownOf(signed))).result).to.equal('WHOLE');
    }
  });

  it('get no yes from the verification page, /documents or the library', async () => {
    for (const [name, signed] of Object.entries(files)) {
      const known = knownOf(signed);
      for (const { name: attack, forged, isWrapping = false } of signed.attacks) {
        const what = `${attack} on ${name}`;
        expect(forged.equals(signed.file), what).to.equal(false);
        const [page, documents] = [await pageSays(signed, forged), recognise(forged, known)];
        const library = compareFile(forged, inLibrary(known));
        // Of a document signed from within, only its signed copy is known.
        const isKnown = !isWrapping || signed.original !== null;
        const otherwise = signed.original === null ? 'unknown' : 'different';
        expect(page, what).to.equal(isKnown ? 'altered' : otherwise);
        expect(documents.result, what).to.equal(isKnown ? 'altered' : 'other');
        expect(library.result, what).to.equal(isKnown ? 'ALTERED' : 'OTHER');
      }
    }
  });

  it('V1: get no yes by a link to the page that names the digest of the genuine file', async () => {
    for (const [name, signed] of Object.entries(files)) {
      for (const genuine of knownOf(signed)) {
        const said = await verificationPageSaysAtLoad(knownToPage(signed), `#sha256=${genuine}`);
        expect(said, name).to.equal(null);
      }
    }
  });

  it('are shown with the signed part, and with what was added to it', () => {
    const { file, original, attacks } = files['a stamped document'] ?? {};
    if (file === undefined || attacks === undefined) throw new Error('No attacks.');
    const known = [original ?? file, file].map(sha256Hex);
    for (const { name, forged, isWrapping = false } of attacks) {
      const part = isWrapping ? (original ?? file) : file;
      const found = compareFile(forged, inLibrary(known));
      if (found.result !== 'ALTERED') throw new Error(name);
      expect(Buffer.from(found.signedPart).equals(part), name).to.equal(true);
      expect(found.addedBytes, name).to.equal(forged.length - part.length);
      expect(found.added, name).to.have.length.greaterThan(0);
    }
    const [replaced] = attacks;
    const found = recognise(replaced?.forged ?? file, known);
    expect(found).to.deep.include({
      result: 'altered',
      sha256: sha256Hex(file),
      signedBytes: file.length,
      added: ['contents'],
      replacedObjects: 1,
    });
  });

  it('are seen by poppler as documents that are not signed as a whole', async function () {
    if (!isInstalled('pdfsig')) {
      console.log('      pdfsig is missing (package poppler-utils): skipped');
      this.skip();
    }
    // A stamp is a signature of the same structure.
    const inner = Object.entries(files).filter(([, { original }]) => original === null);
    for (const [name, { file }] of inner) {
      const whole = covered(file);
      expect(await isSignedAsAWhole(whole), name).to.equal(true);
      const attacks = name.endsWith('in it') ? shadowAttacksOn(whole) : attacksOn(whole);
      for (const { name: attack, forged } of attacks) {
        expect(await isSignedAsAWhole(forged), `${attack} on ${name}`).to.equal(false);
      }
    }
  });

  async function isSignedAsAWhole(pdf: Buffer): Promise<boolean> {
    const path = join(directory, 'file.pdf');
    await writeFile(path, pdf);
    const { output } = await run('pdfsig', '-nocert', path);
    const signatures = output.split(/^Signature #/m).slice(1);
    return signatures.some(
      (text) => /Signature is Valid/.test(text) && /Total document signed/.test(text),
    );
  }

  it('on byte ranges and values of earlier signatures are refused before another is added', () => {
    let refused = 0;
    for (const name of ['a stamped document', 'a document signed from within']) {
      const { file, attacks = [] } = files[name] ?? {};
      expect(faultOf(file ?? Buffer.alloc(0))).to.equal('none');
      for (const { name: attack, forged, isWrapping = false } of attacks) {
        // Of two entries of one name, the later one is taken: it is the right one.
        if (!isWrapping || attack.endsWith('a second byte range in the dictionary')) continue;
        expect(faultOf(forged), `${attack} on ${name}`).to.equal('PDF_DAMAGED');
        refused += 1;
      }
    }
    expect(refused).to.be.greaterThan(30);
  });
});

function faultOf(bytes: Buffer): string {
  try {
    inspectSignatures(openPdf(bytes));
    return 'none';
  } catch (error) {
    if (error instanceof PdfFault) return error.code;
    throw error;
  }
}
