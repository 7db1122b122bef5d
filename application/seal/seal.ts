import type {
  DocumentSealed,
  SealDenial,
  SealedContent,
  SealEvent,
} from '../../domain/seal/events.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext, Journal } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { Randomness } from '../ports/randomness.ts';
import {
  readSealPreconditions,
  type SealIdentity,
  sealIdentityOf,
  type SealPreconditionCache,
  type SealPreconditions,
} from './sealPreconditions.ts';
import type { SealLevel } from '../../domain/shared/certificateLevel.ts';
import { type HashType, sha256, sha256Hex } from '../../domain/shared/digest.ts';
import type { KeyVault } from '../ports/keyVault.ts';
import { Unavailable } from '../ports/faults.ts';
import { organizationEtsi } from '../../domain/shared/etsi.ts';
import type { DocumentWarning } from '../../domain/shared/documentWarnings.ts';
import type { DocumentSigner, PdfStamping } from '../ports/pdfStamping.ts';
import type { Timestamping } from '../ports/timestamping.ts';
import { accepted, type MadeDocuments } from '../stamp/madeDocuments.ts';

export interface SealRequest {
  /** National registration number of the organization, normalized. */
  readonly register: string;
  readonly relyingPartyId: string;
  readonly content: SealedContent;
}

/** Fields of a seal's event. */
export type MadeSeal = Pick<
  DocumentSealed['data'],
  'digest' | 'hashType' | 'signature' | 'sealedDocument'
>;

/** Time, id and certificate of a seal being made. */
interface Sealing {
  readonly identity: SealIdentity;
  readonly sealId: string;
  readonly now: Date;
}

export interface SealerDependencies {
  readonly preconditionCache: Pick<SealPreconditionCache, 'current' | 'at'>;
  readonly eventStore: Pick<EventStore, 'read'>;
  readonly journal: Journal<SealEvent>;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/**
 * Makes a seal between two checks of its preconditions: before signing, and at the log position of its event. A
 * revocation is therefore either later than the seal, or the seal is refused: the two are never acknowledged in the
 * wrong order.
 *
 * @param make signs; its rejection is passed on
 * @throws Refusal ORG_NOT_FOUND, ORG_NOT_ACTIVE, CERTIFICATE_NOT_ACTIVE
 * @throws Unavailable, Overloaded
 */
type Seal = <Made extends MadeSeal>(
  request: SealRequest,
  make: (sealing: Sealing) => Promise<Made>,
  context: CommandContext,
) => Promise<Sealing & { readonly made: Made }>;

/** Seals for organizations; resolved means that the event is durable. */
export function createSeal(dependencies: SealerDependencies): Seal {
  const { preconditionCache, eventStore, journal, clock, randomness } = dependencies;

  /** Reads again before refusing on cached state. */
  async function currentOf(
    register: string,
    now: string,
  ): Promise<[SealPreconditions, SealIdentity]> {
    const remembered = await preconditionCache.current(register);
    try {
      return [remembered, sealIdentityOf(remembered, now)];
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    const preconditions = await readSealPreconditions(eventStore, register);
    return [preconditions, sealIdentityOf(preconditions, now)];
  }

  return async (request, make, requestContext) => {
    const { register, relyingPartyId, content } = request;
    const sealId = randomness.uuid();
    const now = clock.now();
    const time = now.toISOString();
    const context = { ...requestContext, correlationId: sealId };

    /** Records refusals of a known organization in the log, too. */
    async function audited<Value>(
      deciding: () => Promise<Value>,
      takesBack: boolean,
    ): Promise<Value> {
      try {
        return await deciding();
      } catch (error) {
        if (isRefusal(error) && isDenial(error.code)) {
          const data = { sealId, register, relyingPartyId, content, deniedAt: time };
          const denied = {
            type: 'SealDenied',
            data: { ...data, reason: error.code, takesBack },
          } as const;
          await journal.record(register, denied, context);
        }
        throw error;
      }
    }

    const [preconditions, identity] = await audited(() => currentOf(register, time), false);
    const made = await make({ identity, sealId, now });
    const { position } = await journal.record(
      register,
      {
        type: 'DocumentSealed',
        data: {
          sealId,
          register,
          relyingPartyId,
          content,
          digest: made.digest,
          hashType: made.hashType,
          signature: made.signature,
          certificateSerial: identity.serial,
          certificateLevel: identity.level,
          sealedDocument: made.sealedDocument,
          sealedAt: time,
        },
      },
      context,
    );
    const then = await preconditionCache.at(register, preconditions, position);
    if (then !== preconditions) {
      await audited(() => Promise.resolve().then(() => refuseOther(then, identity, time)), true);
    }
    return { identity, sealId, now, made };
  };
}

function refuseOther(
  preconditions: SealPreconditions,
  { serial }: SealIdentity,
  now: string,
): void {
  if (sealIdentityOf(preconditions, now).serial === serial) return;
  throw new Refusal('CERTIFICATE_NOT_ACTIVE', {
    detail: 'The seal certificate of the organization was superseded in the meantime. Seal again.',
  });
}

function isDenial(code: string): code is SealDenial {
  return code === 'ORG_NOT_ACTIVE' || code === 'CERTIFICATE_NOT_ACTIVE';
}

export interface SealDigestRequest {
  readonly register: string;
  readonly relyingPartyId: string;
  /** Raw bytes, of the length of `hashType`. */
  readonly digest: Buffer;
  readonly hashType: HashType;
}

export interface SealedDigest {
  /** DER sequence of r and s, base64. */
  readonly signature: string;
  /** The organization's certificate, DER, base64. */
  readonly certificate: string;
  readonly level: SealLevel;
  readonly sealedAt: Date;
}

/** The vaults of seal keys, by the level of their certificates; null: no such vault. */
export type SealVaults = Readonly<Record<SealLevel, KeyVault | null>>;

/** Seals a digest. @throws errors of {@link Seal} */
export type SealDigest = (
  request: SealDigestRequest,
  context: CommandContext,
) => Promise<SealedDigest>;

/** @throws Unavailable(keyVault) when this process has no vault of that level */
export function vaultOf(vaults: SealVaults, level: SealLevel): KeyVault {
  const vault = vaults[level];
  if (vault === null) throw new Unavailable('keyVault');
  return vault;
}

export function createSealDigest(seal: Seal, vaults: SealVaults): SealDigest {
  return async ({ register, relyingPartyId, digest, hashType }, context) => {
    const { made, identity, now } = await seal(
      { register, relyingPartyId, content: 'DIGEST' },
      async ({ identity: { level, keyLabel } }) => {
        const signature = await vaultOf(vaults, level).signDigest(keyLabel, digest);
        return {
          digest: digest.toString('base64'),
          hashType,
          signature: signature.toString('base64'),
          sealedDocument: null,
        };
      },
      context,
    );
    const { certificate, level } = identity;
    return { signature: made.signature, certificate, level, sealedAt: now };
  };
}

export interface SealPdfRequest {
  readonly register: string;
  readonly relyingPartyId: string;
  readonly relyingPartyName: string;
  /** Ownership is transferred: not to be used afterwards. */
  readonly document: Buffer;
  readonly fileName: string | null;
}

/**
 * Seals a PDF: a validation page and a PAdES-LT signature with the organization's seal certificate.
 *
 * @returns the sealed PDF, and the active content of it
 * @throws as {@link Seal}, and Refusal NOT_A_PDF, PDF_…
 */
export type SealPdf = (
  request: SealPdfRequest,
  context: CommandContext,
) => Promise<{ readonly pdf: Buffer; readonly warnings: readonly DocumentWarning[] }>;

/** Prepares, signs and completes like a citizen's signature, without waiting. */
export function createSealPdf(
  seal: Seal,
  {
    vaults,
    stamping,
    timestamping,
    madeDocuments,
  }: {
    readonly vaults: SealVaults;
    readonly stamping: Pick<PdfStamping, 'prepare' | 'complete'>;
    readonly timestamping: Timestamping;
    readonly madeDocuments: Pick<MadeDocuments, 'record'>;
  },
): SealPdf {
  async function sealed(
    { document, fileName, relyingPartyName }: SealPdfRequest,
    { identity, sealId, now }: Sealing,
  ) {
    const signer = signerOf(identity);
    const hash: HashType = 'SHA256';
    const { prepared, warnings } = accepted(
      await stamping.prepare({
        document,
        fileName,
        preparedId: sealId,
        relyingPartyName,
        signer,
        hash,
        now,
      }),
    );
    const { attributes } = prepared;
    const vault = vaultOf(vaults, identity.level);
    const signature = await vault.sign(identity.keyLabel, attributes, hash);
    const digest = sha256(attributes);
    const pdf = await stamping.complete(prepared, {
      sessionId: sealId,
      relyingPartyName,
      signer,
      digest,
      hash,
      signature,
      pss: null,
      signatureAlgorithm: 'ecdsa-with-SHA256',
      completedAt: now.toISOString(),
      timestampToken: await timestamping.timestamp(sha256(signature), hash),
    });
    return {
      pdf,
      warnings,
      digest: digest.toString('base64'),
      sealedDocument: sha256Hex(pdf),
      hashType: hash,
      signature: signature.toString('base64'),
    };
  }

  return async (request, context) => {
    const { register, relyingPartyId } = request;
    // The bytes are gone once the document is sealed.
    const source = sha256Hex(request.document);
    const { made } = await seal(
      { register, relyingPartyId, content: 'PDF' },
      (sealing) => sealed(request, sealing),
      context,
    );
    const digest = made.sealedDocument;
    await madeDocuments.record({ digest, making: 'SEAL', sources: [source] }, context);
    return { pdf: made.pdf, warnings: made.warnings };
  };
}

/** The organization on the validation page: its name, and its identifier below. */
function signerOf({
  register,
  organizationName,
  ...identity
}: Sealing['identity']): DocumentSigner {
  return {
    isSeal: true,
    organization: null,
    surname: '',
    givenName: organizationName,
    surnameLatin: '',
    givenNameLatin: organizationEtsi(register),
    certificate: Buffer.from(identity.certificate, 'base64'),
    certificateSerial: identity.serial,
    certificateLevel: identity.level,
  };
}
