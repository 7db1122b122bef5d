import { randomBytes, randomUUID } from 'node:crypto';
import {
  ConfigurationError,
  type FlowType,
  type RiskSignals,
  type SessionProgress,
  sessionSecretDigest,
  verificationCode,
} from '../index.ts';
import { isObject, type Json, objectIn, textIn, textsIn } from '../json.ts';
import { riskSignalNames } from '../riskSignals.ts';
import type { Citizens, FakeCitizen } from './citizens.ts';
import type { Organizations } from './organizations.ts';
import { type FakeOutcome, isFlaw } from './outcomes.ts';
import { signAsPhone } from './phone.ts';

/** Kinds of sessions. */
export type FakeSessionKind = 'AUTHENTICATION' | 'SIGNATURE' | 'CERTIFICATE_CHOICE';

/** Details of an answer: its citizen, and the way to the phone. */
export interface FakeAnswer {
  /** Citizen; default: the one who was asked, of a link for everybody a new one. */
  readonly by?: FakeCitizen;
  /** Channel by which a device link was opened; default `QR`. */
  readonly flowType?: FlowType;
  /** Signals the citizen agrees to tell, of those that were asked for; default: none, or all unknown when required. */
  readonly riskSignals?: Partial<RiskSignals>;
}

/** A session that was started. */
export interface FakeSession {
  /** Lower-case UUID. */
  readonly sessionId: string;
  /** Kind of the request. */
  readonly kind: FakeSessionKind;
  /** Citizen who was asked; null: whoever opens the link. */
  readonly citizen: FakeCitizen | null;
  /** Body of the request that started it. */
  readonly request: Readonly<Record<string, unknown>>;
  /** True until it was answered or its time is over. */
  readonly isRunning: boolean;
  /** Ends it; polls that wait resolve. @throws ConfigurationError when it has ended */
  answer(outcome: FakeOutcome, answer?: FakeAnswer): void;
  /** Lets the request come this far, which polls tell. @throws ConfigurationError when it has ended */
  reach(progress: SessionProgress): void;
  /**
   * Address that the app opens after a device link on the same phone: the callback with its proofs.
   *
   * @throws ConfigurationError when no https address was sent: the service drops others
   */
  returnUrl(): URL;
}

/** A session as the platform keeps it. */
export interface KeptSession extends FakeSession {
  /** Milliseconds since the platform's start. */
  readonly startedAt: number;
  /** Body of the answer that started it. */
  readonly started: Json;
  /** Body of a poll now. */
  polled(): Json;
  /** Settles what its time has come for. @param now ms since the platform's start */
  settle(now: number): void;
  /** True from then on: it cannot be polled any more. */
  isForgotten(now: number): boolean;
  /** Calls back when it ends. */
  onEnd(callback: () => void): void;
}

export interface SessionWish {
  readonly kind: FakeSessionKind;
  readonly flow: 'notification' | 'device-link';
  readonly citizen: FakeCitizen | null;
  readonly request: Json;
  /** Milliseconds since the platform's start. */
  readonly startedAt: number;
  readonly schemeName: string;
  readonly brokeredRpName: string;
  readonly representedBy: Organizations['representedBy'];
}

/** Time to answer (specification, Limits), ms. */
const ANSWER_WITHIN_MS = 150_000;
/** Time a session can be read, ms. */
const READABLE_FOR_MS = 600_000;

export function createSession(citizens: Citizens, wish: SessionWish): KeptSession {
  const { kind, flow, citizen, request, startedAt } = wish;
  const sessionId = randomUUID();
  const secret = randomBytes(18).toString('base64');
  const callbacks: (() => void)[] = [];
  let ended: Json | null = null;
  let verifier = '';
  let reached: SessionProgress | null = null;

  function answer(outcome: FakeOutcome, details: FakeAnswer = {}): void {
    if (ended !== null) throw new ConfigurationError('The session has ended.');
    const said = answerOf(outcome, details.by ?? citizen ?? citizens.add(), details);
    ended = { state: 'COMPLETE', ...said };
    for (const callback of callbacks) callback();
  }

  function answerOf(outcome: FakeOutcome, by: FakeCitizen, details: FakeAnswer): Json {
    const { flowType = 'QR', riskSignals } = details;
    const flaw = isFlaw(outcome) ? outcome : null;
    const protocol = protocolOf(request);
    const onBehalfOf = wish.representedBy(by, textIn(request, 'onBehalfOf')) ?? null;
    if (flaw === null && outcome !== 'OK') {
      const endResult = outcome === 'UNKNOWN' ? 'SOMETHING_NEWER' : outcome;
      return { result: { endResult }, ...protocol, onBehalfOf };
    }
    const holder = citizens.holderOf(by, kind === 'AUTHENTICATION' ? 'AUTH' : 'SIGN', flaw);
    const said = {
      result: { endResult: 'OK', documentNumber: by.documentNumber },
      cert: { value: holder.certificate.toString('base64'), certificateLevel: by.level },
      onBehalfOf,
    };
    if (kind === 'CERTIFICATE_CHOICE') return said;
    const sign = (body: Json) =>
      signAsPhone(holder, {
        kind,
        body,
        flowType: flow === 'notification' ? 'Notification' : flowType,
        schemeName: wish.schemeName,
        brokeredRpName: wish.brokeredRpName,
      });
    const signed = sign(request);
    const signaturesOf = (signature: Json, isSpoilt: boolean) => {
      const documents = documentsIn(request);
      const sent = (one: Json) => (isSpoilt ? spoilt(one) : one);
      if (documents === null) return { signature: sent(signature) };
      return { signatures: documents.map((each) => sent(documentSignature(each, sign))) };
    };
    verifier = signed.userChallengeVerifier;
    return {
      ...said,
      ...protocol,
      ...signaturesOf(signed.signature, flaw === 'SIGNATURE_INVALID'),
      interactionTypeUsed: signed.interactionTypeUsed,
      ...toldSignals(request, riskSignals),
      ...(kind === 'AUTHENTICATION' && { person: personOf(by) }),
    };
  }

  function settle(now: number): void {
    if (ended !== null) return;
    const { answers = null, answersAfterMs = 0 } = citizen ?? {};
    const isAnswered = answers !== null && answersAfterMs < ANSWER_WITHIN_MS;
    if (isAnswered && now >= startedAt + answersAfterMs) answer(answers);
    else if (now >= startedAt + ANSWER_WITHIN_MS) answer('TIMEOUT');
  }

  return {
    sessionId,
    kind,
    citizen,
    request,
    startedAt,
    get isRunning() {
      return ended === null;
    },
    answer,
    reach: (progress) => {
      if (ended !== null) throw new ConfigurationError('The session has ended.');
      reached = progress;
    },
    returnUrl: () => {
      const address = textIn(request, 'initialCallbackUrl') ?? '';
      const url = URL.canParse(address) ? new URL(address) : null;
      if (url?.protocol !== 'https:') {
        throw new ConfigurationError('No callbackUrl was sent, or one that the service drops.');
      }
      // Forced by the service, too (specification, `initialCallbackUrl` rules).
      url.pathname = '/auth/eid/callback';
      url.searchParams.set('sessionSecretDigest', sessionSecretDigest(secret));
      if (verifier !== '') url.searchParams.set('userChallengeVerifier', verifier);
      return url;
    },
    started: startedAnswer({ sessionId, secret, ...wish }),
    polled: () => ended ?? { state: 'RUNNING', ...(reached !== null && { progress: reached }) },
    settle,
    isForgotten: (now) => now >= startedAt + READABLE_FOR_MS,
    onEnd: (callback) => callbacks.push(callback),
  };
}

function startedAnswer({
  sessionId,
  secret,
  kind,
  flow,
  request,
}: SessionWish & { readonly sessionId: string; readonly secret: string }): Json {
  const code = kind === 'CERTIFICATE_CHOICE' ? null : codeOf(request);
  if (flow === 'notification') return { sessionID: sessionId, ...(code !== null && { vc: code }) };
  return {
    sessionID: sessionId,
    sessionToken: randomBytes(12).toString('hex'),
    sessionSecret: secret,
    deviceLinkBase: 'https://link.tamga.test/',
    ...(code !== null && { vc: code.value }),
  };
}

/** Documents of a batch; null: the request is of one signature. */
export function documentsIn(request: Json): readonly Json[] | null {
  const { documents } = request;
  return Array.isArray(documents) ? documents.filter(isObject) : null;
}

function documentSignature(
  document: Json,
  sign: (body: Json) => { readonly signature: Json },
): Json {
  const { digest, hashType = 'SHA256', fileName } = document;
  const { signature } = sign({ ...document, interactions: [] });
  return {
    digest,
    hashType,
    ...(fileName !== undefined && { fileName }),
    ...signature,
  };
}

/** Content that the code is of: challenge, digest, or the digests of a batch, each behind its length; base64. */
function contentIn(request: Json): string {
  const documents = documentsIn(request);
  if (documents === null) return textIn(request, 'rpChallenge') ?? textIn(request, 'digest') ?? '';
  const digests = documents.flatMap((document) => {
    const digest = Buffer.from(textIn(document, 'digest') ?? '', 'base64');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(digest.length);
    return [length, digest];
  });
  return Buffer.concat(digests).toString('base64');
}

/** Verification code, in the format asked for or that of the generation. */
function codeOf(request: Json): { readonly type: string; readonly value: string } {
  const nested = objectIn(request, 'signatureProtocolParameters');
  const type = textIn(request, 'vcType') ?? (nested === null ? 'alphaNumeric4' : 'alphaNumeric5');
  return {
    type,
    value: verificationCode(contentIn(nested ?? request), type === 'alphaNumeric5' ? 'G2' : 'G1'),
  };
}

/** `signatureProtocol` of the answer, in the second generation only. */
function protocolOf(request: Json): Json {
  const isNested = objectIn(request, 'signatureProtocolParameters') !== null;
  return isNested ? { signatureProtocol: textIn(request, 'signatureProtocol') } : {};
}

/** A signature over something else: its last byte differs. */
function spoilt(signature: Json): Json {
  const value = Buffer.from(textIn(signature, 'value') ?? '', 'base64');
  value.writeUInt8(value.readUInt8(value.length - 1) ^ 1, value.length - 1);
  return { ...signature, value: value.toString('base64') };
}

/** Both sets of field names, as the service sends them; what citizens do not differ in is made up. */
function personOf({ firstName, lastName, civilId, regNo }: FakeCitizen): Json {
  return {
    firstName,
    lastName,
    familyName: 'Боржигин',
    firstNameEn: null,
    lastNameEn: null,
    givenName: firstName,
    surname: lastName,
    givenNameEn: null,
    surnameEn: null,
    civilId,
    regNo,
    birthDate: '1990-01-01',
    gender: 'M',
    geID: 1,
  };
}

/** Signals told, of those asked for. */
function toldSignals(request: Json, agreed: Partial<RiskSignals> | undefined): Json {
  const { riskSignals: asked = null, riskSignalsRequired: isRequired } = request;
  if (asked === null || asked === false) return {};
  const names = asked === true ? riskSignalNames : textsIn(request, 'riskSignals');
  const told = agreed ?? (isRequired === true ? {} : null);
  if (told === null) return { riskSignals: null };
  const all: Json = told;
  return { riskSignals: Object.fromEntries(names.map((name) => [name, all[name] ?? null])) };
}
