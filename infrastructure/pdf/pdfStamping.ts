import type { KeyVault } from '../../application/ports/keyVault.ts';
import type {
  DocumentSigner,
  PdfStamping,
  SignedSession,
} from '../../application/ports/pdfStamping.ts';
import type {
  ServiceIdentities,
  ServiceIdentity,
} from '../../application/certificate/ports/serviceIdentities.ts';
import type { Timestamping } from '../../application/ports/timestamping.ts';
import {
  digestLength,
  type HashAlgorithm,
  type HashType,
  sha256,
} from '../../domain/shared/digest.ts';
import { responderOf } from '../../domain/shared/issuingCas.ts';
import { derOid, derSequence } from '../pki/kernel/der.ts';
import { signatureSuites } from '../pki/profiles.ts';
import { citizenAlgorithm, encodeCades, signedAttributes } from '../pki/signedData.ts';
import { evidenceFile } from './evidenceFile.ts';
import { finishSignature } from './finishSignature.ts';
import type { Built } from './pdf.worker.ts';
import type { PdfPool } from './pdfPool.ts';
import type { SignatureOrder } from './signatureRevision.ts';
import type { SignerMark } from './stampContents.ts';
import type { CertificateAuthority } from '../../application/ports/certificateAuthority.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { RevocationEvidence } from '../pki/revocationEvidence.ts';
import { readTimestampToken } from '../timestamping/timestampMessages.ts';
import type { ValidationMaterial } from './securityStore.ts';

export interface PdfStampingOptions extends MaterialSources {
  readonly pool: PdfPool;
  readonly vault: KeyVault;
  readonly timestamping: Timestamping;
  /** Printed on the validation page. */
  readonly operator: string;
  /** Public address of the verification pages, without the trailing `/verify/…`. */
  readonly verifyBase: string;
}

/** Bytes reserved for a timestamp token: authorities include whole chains. */
const TOKEN_BYTES = 10 * 1024;
/** Bytes of a CMS without certificates. */
const CMS_BYTES = 1536;
/** Capacity for a revision with the security store, bytes; a larger one costs one copy. */
const STORE_BYTES = 48 * 1024;

export function createPdfStamping(options: PdfStampingOptions): PdfStamping {
  const { pool, vault, timestamping, clock, identities, authority } = options;
  const material = createMaterialGatherer(options);

  /** CA certificates above a signer's: its issuer, and the root. */
  function chainOf(signer: DocumentSigner): readonly Buffer[] {
    return [authority.issuerOf(signer.certificate), authority.issuer('root')].map(
      ({ certificate }) => certificate,
    );
  }

  function verifyUrl(sessionId: string): string {
    return `${options.verifyBase}/verify/${sessionId}`;
  }

  async function run(
    document: Buffer,
    order: SignatureOrder,
    rest: {
      readonly hash: HashType;
      readonly room: number;
      readonly expected: { readonly digest: Buffer; readonly hash: HashAlgorithm } | null;
    },
  ) {
    const result = await pool.run({ task: 'build', document, order, ...rest });
    if ('built' in result || 'refused' in result) return result;
    throw new Error('The PDF worker answered another task.');
  }

  async function signAs(identity: ServiceIdentity, built: Built): Promise<Buffer> {
    const { keyLabel, keyType, certificate, chain } = identity;
    const { hash, algorithm } = signatureSuites[keyType];
    const attributes = signedAttributes(certificate, built.digest);
    const signature = await vault.sign(keyLabel, attributes, hash);
    const timestampToken = await timestamping.timestamp(sha256(signature), 'SHA256');
    return encodeCades({
      certificate,
      chain,
      hash,
      attributes,
      signature,
      timestampToken,
      algorithm: derSequence(derOid(algorithm)),
    });
  }

  return {
    async stamp(document, session, fileName) {
      const identity = identities.current('DOCUMENT_SIGNER');
      const { signer, sessionId } = session;
      const gathering = material.gather(certified(signer), [session.timestampToken]);
      // Awaited below, once there is a document for it.
      gathering.catch(() => undefined);
      const url = verifyUrl(sessionId);
      const evidence = evidenceFile(session, {
        fileName,
        verifyUrl: url,
        chain: chainOf(signer),
        size: document.length,
      });
      const result = await run(
        document,
        {
          page: {
            form: 'DOCUMENT_SIGNER',
            document: { fileName, ...shownDigest(session.hash, session.digest) },
            mark: signedMark(session, url),
            operator: options.operator,
          },
          evidence,
          fieldId: sessionId,
          signerName: options.operator,
          reason: 'Validation of a signed document',
          certifies: true,
          time: clock.now(),
          contentsBytes: contentsBytes(
            [identity.certificate, ...identity.chain],
            // The next token will have a similar size, unless another authority issues it.
            Math.max(TOKEN_BYTES, session.timestampToken.length + 2048),
          ),
        },
        {
          hash: signatureSuites[identity.keyType].hash,
          room: STORE_BYTES,
          expected: { digest: session.digest, hash: session.hash },
        },
      );
      if ('refused' in result) return result;
      const [cms, gathered] = await Promise.all([signAs(identity, result.built), gathering]);
      const { built } = result;
      return { pdf: finishSignature(built, cms, gathered), warnings: built.warnings };
    },

    async prepare({ document, preparedId, fileName, signer, hash, now, relyingPartyName }) {
      const size = contentsBytes([signer.certificate, ...chainOf(signer)], TOKEN_BYTES);
      const { isSeal = false } = signer;
      const digest = sha256(document);
      const result = await run(
        document,
        {
          page: {
            form: isSeal ? 'SEAL' : 'SIGNER',
            document: { fileName, ...shownDigest('SHA256', digest) },
            mark: {
              ...marked(signer),
              relyingPartyName,
              sessionId: null,
              isSeal,
              signedAt: null,
              preparedAt: now.toISOString(),
              // Seals have no verification page.
              verifyUrl: isSeal ? null : verifyUrl(preparedId),
            },
            operator: options.operator,
          },
          evidence: null,
          fieldId: preparedId,
          signerName: `${signer.surname} ${signer.givenName}`.trim(),
          reason: isSeal ? 'Seal' : 'Signature',
          certifies: isSeal,
          time: now,
          contentsBytes: size,
        },
        { hash, room: 0, expected: null },
      );
      if ('refused' in result) return result;
      const { memory, contentsAt, contentsBytes: kept, digest: covered, warnings } = result.built;
      return {
        warnings,
        prepared: {
          contentsAt,
          contentsBytes: kept,
          bytes: Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength),
          attributes: signedAttributes(signer.certificate, covered),
        },
      };
    },

    async complete({ bytes, contentsAt, contentsBytes: place, attributes }, session) {
      const { signer, signature, timestampToken } = session;
      const gathered = await material.gather(certified(signer), [timestampToken]);
      // Documents are prepared for these hashes only.
      const hash = session.hash as HashType;
      const cms = encodeCades({
        attributes,
        signature,
        timestampToken,
        chain: chainOf(signer),
        hash,
        certificate: signer.certificate,
        algorithm: citizenAlgorithm(session.signatureAlgorithm, hash, session.pss),
      });
      const result = await pool.run({
        task: 'complete',
        document: bytes,
        contentsAt,
        contentsBytes: place,
        cms,
        material: gathered,
      });
      if (!('completed' in result))
        throw new Error('The prepared document cannot be completed: the PDF worker refused it.');
      return Buffer.from(result.completed);
    },
  };
}

function contentsBytes(certificates: readonly Buffer[], tokenBytes: number): number {
  return certificates.reduce((sum, { length }) => sum + length, tokenBytes + CMS_BYTES);
}

function shownDigest(hash: HashAlgorithm, digest: Buffer) {
  const isSha2 = !hash.startsWith('SHA3');
  return {
    hash: isSha2 ? `SHA-${digestLength[hash] * 8}` : hash,
    digest: digest.toString('hex'),
  };
}

const certified = ({ certificateSerial: serial, certificate }: DocumentSigner) => ({
  serial,
  certificate,
});

function marked(
  signer: DocumentSigner,
): Pick<SignerMark, 'signer' | 'organization' | 'certificate'> {
  return {
    signer,
    organization: signer.organization,
    certificate: { serial: signer.certificateSerial, level: signer.certificateLevel },
  };
}

function signedMark(session: SignedSession, verifyUrl: string): SignerMark {
  const { signer, relyingPartyName, sessionId, completedAt } = session;
  return {
    ...marked(signer),
    relyingPartyName,
    sessionId,
    verifyUrl,
    signedAt: completedAt,
    preparedAt: completedAt,
  };
}

interface MaterialSources {
  readonly identities: ServiceIdentities;
  readonly evidence: RevocationEvidence;
  readonly clock: Clock;
  readonly authority: Pick<CertificateAuthority, 'issuer' | 'issuerOf'>;
}

/** Cache time of OCSP responses about the platform's own certificates, ms. */
const REMEMBERED_MS = 10_000;

interface Certified {
  /** Lower-case hexadecimal. */
  readonly serial: string;
  /** DER. */
  readonly certificate: Buffer;
}

/** Gathers the validation material of a signature beyond the expiry of its certificates (EN 319 142-1 §5.4, B-LT). */
export interface MaterialGatherer {
  /**
   * @param signer serial of the signer's certificate, lower-case hexadecimal, and the certificate, DER
   * @param tokens timestamps of the document, DER
   * @throws Unavailable
   */
  gather(signer: Certified, tokens: readonly Buffer[]): Promise<ValidationMaterial>;
}

function createMaterialGatherer(sources: MaterialSources): MaterialGatherer {
  const { identities, evidence, authority, clock } = sources;
  const remembered = new Map<
    string,
    { readonly answer: Promise<Buffer>; readonly until: number }
  >();

  /** Cached, since every stamp needs the same two certificates; citizens' statuses are requested each time. */
  function serviceResponse({ serial, certificate }: Certified): Promise<Buffer> {
    const now = clock.now().getTime();
    const known = remembered.get(serial);
    if (known !== undefined && now < known.until) return known.answer;
    const answer = evidence.ocspResponse(authority.issuerOf(certificate).authority, serial);
    remembered.set(serial, { answer, until: now + REMEMBERED_MS });
    answer.catch(() => remembered.delete(serial));
    return answer;
  }

  return {
    async gather(signer, tokens) {
      const documentSigner = identities.current('DOCUMENT_SIGNER');
      const timestamper = identities.current('TSA');
      const sent = tokens.flatMap((token) => readTimestampToken(token).certificates);
      // An external authority is recognised by its certificate; it publishes its own revocation data.
      const isOurs = sent.some((certificate) => certificate.equals(timestamper.certificate));
      const services = isOurs ? [documentSigner, timestamper] : [documentSigner];
      const issuer = authority.issuerOf(signer.certificate);
      const [rootList, ...responses] = await Promise.all([
        evidence.crl('root'),
        evidence.ocspResponse(issuer.authority, signer.serial),
        ...services.map(serviceResponse),
      ]);
      const issuers = [
        issuer,
        ...services.map(({ certificate }) => authority.issuerOf(certificate)),
      ];
      const responders = issuers.map(
        ({ authority: name }) => identities.current(responderOf(name)).certificate,
      );
      return {
        certificates: distinct([
          ...[signer.certificate, ...responders],
          ...[authority.issuer('root'), ...issuers].map(({ certificate }) => certificate),
          ...services.map(({ certificate }) => certificate),
          ...sent,
        ]),
        ocspResponses: distinct(responses),
        crls: [rootList],
      };
    },
  };
}

function distinct(values: readonly Buffer[]): readonly Buffer[] {
  return [...new Map(values.map((value) => [value.toString('base64'), value])).values()];
}
