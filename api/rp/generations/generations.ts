import { z } from 'zod';
import {
  base64,
  byteLength,
  commonFields,
  confirmedFields,
  detected,
  fileName,
  rpChallenge,
  shownText,
} from './common.ts';
import {
  certificateChoice,
  hashNameOf,
  linkedSignature,
  nestedAuthentication,
  nestedSignature,
} from './g2.ts';
import { batchSize, type SignedDocument } from '../../../domain/session/batch.ts';
import { digestLength, type HashType, hashTypes } from '../../../domain/shared/digest.ts';
import type { SigningCertificate } from '../../../application/certificate/querySigningCertificate.ts';
import type { PollResult } from '../../../application/session/sessions.ts';
import type { SessionStep } from '../../../application/session/sessionSteps.ts';
import { forgottenIdentity, type Identity } from '../../../domain/citizen/events.ts';
import {
  type NestedAnswer,
  notMe,
  type SessionConfirmed,
  type SessionStarted,
} from '../../../domain/session/events.ts';
import type { CompleteSession, Outcome } from '../../../domain/session/session.ts';
import { signatureProtocol } from '../../../domain/session/signing.ts';
import { organizationEtsi } from '../../../domain/shared/etsi.ts';
import { FORGOTTEN } from '../../../domain/shared/personalData.ts';

// First generation of the wire protocol, flat (contract §1 G1).

const interaction = z.object({
  type: z.literal(
    'displayTextAndPIN',
    'Must be "displayTextAndPIN"; the other types are of the second generation, whose interactions are one Base64 text.',
  ),
  displayText60: shownText(60),
});

const flat = {
  ...commonFields,
  ...confirmedFields,
  generation: detected('G1'),
  signatureProtocol: z.literal('ACSP_V2', 'The signatureProtocol must be ACSP_V2.'),
  interactions: z
    .array(interaction)
    .min(1, 'Exactly one interaction is needed; this has 0.')
    .max(1, {
      error: ({ input }) =>
        `Exactly one interaction is needed; this has ${(input as readonly unknown[]).length}.`,
    }),
};

/** Body of a flat authentication. */
const flatAuthentication = z
  .object({ ...flat, rpChallenge })
  .transform(({ rpChallenge: challenge, ...body }) => ({
    fileName: null,
    nested: null,
    content: { kind: 'AUTHENTICATION' as const, rpChallenge: challenge, hashType: null },
    ...body,
  }))
  .meta({ id: 'FlatAuthentication' });

const hashType = z
  .enum(hashTypes)
  .nullish()
  .transform((type) => type ?? 'SHA256');

const fitsHash = (sent: { readonly digest: string; readonly hashType: HashType }) =>
  byteLength(sent.digest) === digestLength[sent.hashType];

const wrongLength = {
  path: ['digest'],
  message: 'The length of the digest does not match hashType (SHA256 if absent).',
};

/** Body of a flat signature. */
const flatSignature = z
  .object({
    ...flat,
    fileName,
    digest: base64,
    hashType,
  })
  .refine(fitsHash, wrongLength)
  .transform(({ digest, hashType: named, ...body }) => ({
    nested: null,
    content: { kind: 'SIGNATURE' as const, digest, hashType: named },
    ...body,
  }))
  .meta({ id: 'FlatSignature' });

const document = z
  .object({
    // Texts are compared below in the place of bytes: one form for each.
    digest: base64.refine(
      (value) => Buffer.from(value, 'base64').toString('base64') === value,
      'Must be canonical base64 (RFC 4648 §3.5).',
    ),
    hashType,
    displayText60: shownText(60).meta({ description: 'Shown on the phone for this document' }),
    fileName,
  })
  .refine(fitsHash, wrongLength)
  .meta({ id: 'BatchDocument' });

const notInBatch = z.null('Each document of a batch has its own.').optional();

/** Body of a flat batch: several documents, confirmed with one PIN. */
const flatBatch = z
  .object({
    ...flat,
    generation: detected('BATCH'),
    documents: z
      .array(document)
      .min(batchSize.atLeast)
      .max(batchSize.atMost)
      .refine(
        (list) => new Set(list.map(({ digest }) => digest)).size === list.length,
        'Each digest is allowed at most once.',
      ),
    digest: notInBatch,
    hashType: notInBatch,
    fileName: notInBatch,
  })
  .transform(({ documents, ...body }) => ({
    ...body,
    generation: 'G1' as const,
    fileName: null,
    nested: null,
    content: { kind: 'SIGNATURE' as const, documents },
  }))
  .meta({ id: 'BatchSignature' });

/** Field that reveals a retired protocol: version 2, and 3.0 with its `ACSP_V1`; null: none. */
function outdatedField(body: object): string | null {
  if ('allowedInteractionsOrder' in body && !('interactions' in body)) {
    return 'allowedInteractionsOrder';
  }
  return (body as { signatureProtocol?: unknown }).signatureProtocol === 'ACSP_V1'
    ? 'signatureProtocol'
    : null;
}

/** Detects the generation of a session-creating body (contract §1). */
function detectGeneration(body: object): 'OUTDATED' | 'G1' | 'G2' {
  if (outdatedField(body) !== null) return 'OUTDATED';
  const { interactions, signatureProtocolParameters } = body as Record<string, unknown>;
  const isNested =
    typeof interactions === 'string' ||
    (typeof signatureProtocolParameters === 'object' && signatureProtocolParameters !== null);
  return isNested ? 'G2' : 'G1';
}

/**
 * Adds the detected generation to the body, so that only its own schema parses it and reports
 * faults.
 */
function naming(generationOf: (body: object) => string) {
  return (body: unknown): unknown =>
    typeof body === 'object' && body !== null && !Array.isArray(body)
      ? { ...body, generation: generationOf(body) }
      : body;
}

const named = naming(detectGeneration);
const namedNested = naming((body) => (outdatedField(body) === null ? 'G2' : 'OUTDATED'));

/** Body of a retired protocol, parsed only as far as the refusal needs the relying party. */
const outdated = z
  .looseObject({
    generation: z.literal('OUTDATED'),
    relyingPartyUUID: commonFields.relyingPartyUUID,
  })
  .transform((body) => ({ ...body, field: outdatedField(body) ?? 'signatureProtocol' }))
  .meta({ internal: true });

/** Body of the authentication POSTs of both generations. */
export const authenticationBody = z.preprocess(
  named,
  z.discriminatedUnion('generation', [flatAuthentication, nestedAuthentication, outdated]),
);

/** Body of the signature POSTs of both generations; flat ones may be of several documents. */
export const signatureBody = z.preprocess(
  naming((body) => {
    const generation = detectGeneration(body);
    const { documents = null } = body as { readonly documents?: unknown };
    return generation === 'G1' && documents !== null ? 'BATCH' : generation;
  }),
  z.discriminatedUnion('generation', [flatSignature, flatBatch, nestedSignature, outdated]),
);

/** Body of a signature that continues a certificate choice; second generation only. */
export const linkedSignatureBody = z.preprocess(
  namedNested,
  z.discriminatedUnion('generation', [linkedSignature, outdated]),
);

/** Body of the certificate choice POSTs. */
export const certificateChoiceBody = z.preprocess(
  namedNested,
  z.discriminatedUnion('generation', [certificateChoice, outdated]),
);

/** Body of the certificate query. */
export const certificateQueryBody = z.object({
  relyingPartyUUID: commonFields.relyingPartyUUID,
  relyingPartyName: commonFields.relyingPartyName,
  certificateLevel: commonFields.certificateLevel,
});

export type StartBody =
  | z.output<typeof authenticationBody>
  | z.output<typeof signatureBody>
  | z.output<typeof linkedSignatureBody>
  | z.output<typeof certificateChoiceBody>;

// Response bodies, in the generation of the session's request.

/**
 * Response to a session-creating POST (specification, Session creation responses). A certificate
 * choice shows no code.
 *
 * @param askedVcType format named by the request, possibly an alias
 */
export function startedAnswer(
  started: SessionStarted['data'],
  deviceLinkBase: string,
  askedVcType: string | null,
): object {
  const { sessionId, deviceLink, verificationCode, vcType } = started;
  const hasCode = started.kind !== 'CERTIFICATE_CHOICE';
  if (deviceLink === null) {
    const vc = { type: askedVcType ?? vcType, value: verificationCode };
    return { sessionID: sessionId, ...(hasCode ? { vc } : {}) };
  }
  return {
    sessionID: sessionId,
    sessionToken: deviceLink.sessionToken,
    sessionSecret: deviceLink.sessionSecret,
    deviceLinkBase,
    ...(hasCode ? { vc: verificationCode } : {}),
  };
}

/** Response to a certificate query. @param found null: the document cannot sign now */
export function certificateAnswer(found: SigningCertificate | null): object {
  if (found === null) return { state: 'DOCUMENT_UNUSABLE' };
  return { state: 'OK', cert: { value: found.certificate, certificateLevel: found.level } };
}

/** A polled session that runs. */
export function runningAnswer(step: SessionStep | null): object {
  return { state: 'RUNNING', ...(step !== null && { progress: step }) };
}

/**
 * The polled session (contract §3).
 *
 * @param strictSmartId the client knows Smart-ID's end results only
 */
export function polledAnswer(result: PollResult, strictSmartId = false): object {
  if (result.state === 'RUNNING') return runningAnswer(result.step);
  const { started, outcome } = result.session;
  const { confirmation, chosen, documents, endResult, documentNumber } = outcome;
  const answered = confirmation ?? chosen;
  const onBehalfOf = representation(started, result.right);
  if (answered === null) return refusedAnswer(started, outcome, { onBehalfOf, strictSmartId });
  return {
    state: 'COMPLETE',
    result: { endResult, documentNumber },
    ...protocol(started),
    ...(confirmation === null ? {} : signatures(started, confirmation, documents)),
    cert: {
      value: result.certificate?.certificate ?? FORGOTTEN,
      certificateLevel: answered.certificateLevel,
    },
    ...(confirmation === null ? {} : { interactionTypeUsed: confirmation.interactionTypeUsed }),
    onBehalfOf,
    ...riskSignals(result.session),
    ...(started.kind === 'AUTHENTICATION'
      ? { person: person(answered.civilId, result.citizen?.identity ?? forgottenIdentity) }
      : {}),
  };
}

/**
 * Response to a refused session, without the document number: it would lead to the name in the
 * signing certificate.
 */
function refusedAnswer(
  started: SessionStarted['data'],
  { endResult, refusedInteraction }: Outcome,
  { onBehalfOf, strictSmartId }: { onBehalfOf: object | null; strictSmartId: boolean },
): object {
  return {
    state: 'COMPLETE',
    result: {
      endResult: strictSmartId && endResult === notMe ? 'USER_REFUSED' : endResult,
      ...(refusedInteraction === null ? {} : { details: { interaction: refusedInteraction } }),
    },
    ...protocol(started),
    onBehalfOf,
  };
}

/** Signals that were asked for; null: the citizen told none. */
function riskSignals({ started, signalsTold }: CompleteSession): object {
  if (started.riskSignals === null) return {};
  const { names = [], signals = null } = signalsTold ?? {};
  if (signals === null) return { riskSignals: null };
  return { riskSignals: Object.fromEntries(names.map((name) => [name, signals[name]])) };
}

/** Organization represented, with the current right. */
function representation(
  { onBehalfOf }: SessionStarted['data'],
  right: Extract<PollResult, { state: 'COMPLETE' }>['right'],
): object | null {
  if (onBehalfOf === null) return null;
  return {
    orgEtsi: organizationEtsi(onBehalfOf.register),
    orgName: onBehalfOf.name,
    role: right?.role ?? null,
    rightType: right?.rightType ?? null,
  };
}

/** Signature protocol, in the second generation only. */
function protocol(started: SessionStarted['data']): object {
  const named = started.generation === 'G1' ? null : signatureProtocol(started);
  return named === null ? {} : { signatureProtocol: named };
}

/** The signature, or of a batch those of its documents, in their order. */
function signatures(
  started: SessionStarted['data'],
  confirmation: SessionConfirmed['data'],
  documents: readonly SignedDocument[],
): object {
  if (started.documents === null) return { signature: signature(started, confirmation) };
  return {
    signatures: documents.map((document) => ({
      digest: document.digest,
      hashType: document.hashType,
      ...(document.fileName === null ? {} : { fileName: document.fileName }),
      value: document.signature,
      signatureAlgorithm: document.signatureAlgorithm,
    })),
  };
}

function signature(
  { nested: asked }: SessionStarted['data'],
  { signature: value, signatureAlgorithm, nested }: SessionConfirmed['data'],
): object {
  if (asked === null || nested === null) return { value, signatureAlgorithm };
  const { serverRandom } = asked;
  const { userChallenge, flowType, pss } = nested;
  return {
    value,
    ...(serverRandom === null ? {} : { serverRandom }),
    ...(userChallenge === null ? {} : { userChallenge }),
    flowType,
    signatureAlgorithm,
    ...(pss === null ? {} : { signatureAlgorithmParameters: pssParameters(pss) }),
  };
}

/** RSASSA-PSS parameters (RFC 8017 A.2.3) with the names of the contract. */
function pssParameters(pss: NonNullable<NestedAnswer['pss']>) {
  const hashAlgorithm = hashNameOf(pss.hashAlgorithm);
  return {
    hashAlgorithm,
    maskGenAlgorithm: { algorithm: 'id-mgf1', parameters: { hashAlgorithm } },
    saltLength: pss.saltLength,
    trailerField: '0xbc',
  };
}

/** Person with both sets of field names, older and newer. */
function person(civilId: string, identity: Identity): object {
  const { givenName, surname, givenNameLatin, surnameLatin, geId } = identity;
  return {
    firstName: givenName,
    lastName: surname,
    familyName: identity.familyName,
    firstNameEn: givenNameLatin,
    lastNameEn: surnameLatin,
    givenName,
    surname,
    givenNameEn: givenNameLatin,
    surnameEn: surnameLatin,
    civilId,
    regNo: identity.registrationNumber,
    birthDate: identity.birthDate,
    gender: identity.gender,
    ...(geId === null ? {} : { geID: geId }),
  };
}
