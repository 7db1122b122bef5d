import type { HashType } from '../../domain/shared/digest.ts';
import type {
  VerificationFailure,
  VerificationMethod,
} from '../../domain/identityVerification/events.ts';
import type { CivilRecord } from './civilRegistry.ts';

/** What a provider may lean on while one identity verification lasts. */
export interface VerificationTurn {
  readonly verificationId: string;
  /**
   * 32 bytes that follow from the secret of whoever started the verification, from `label`, and from how many attempts
   * were begun before: the same when asked again within the same turn, unpredictable to everybody else. So that states,
   * challenges, code verifiers and nonces need not be kept anywhere.
   */
  derive(label: string): Buffer;
}

/** What the person has to do next; the answer goes to `POST …/steps/<kebab-case method>`. */
export type NextStep =
  | { readonly type: 'CARD' }
  | { readonly type: 'REDIRECT'; readonly url: string }
  | {
      readonly type: 'SIGNATURE';
      /** Exactly these bytes are to be signed, base64. */
      readonly challenge: string;
      readonly hashTypes: readonly HashType[];
    }
  | {
      readonly type: 'PASSPORT';
      /** What the chip is to sign, where it can (INTERNAL AUTHENTICATE, ICAO 9303-11 §6.1): 8 bytes, base64. */
      readonly challenge: string;
    };

/** What stands on the identity card. */
export interface CitizenCard {
  /** Civil id or registration number, with or without `PNOMN-`. */
  readonly identifier: string;
  readonly cardNumber: string;
  /** `YYYY-MM-DD`. */
  readonly birthDate: string;
}

/** What came back from an authorization server (RFC 6749 §4.1.2): a code, or the error it gave. */
export type AuthorizationResponse =
  | { readonly state: string; readonly code: string }
  | { readonly state: string; readonly error: string };

/** A signature of the challenge: all in one CMS SignedData (RFC 5652), or raw, with its certificate. DER throughout. */
export type SignedChallenge =
  | { readonly cms: Buffer }
  | {
      readonly signature: Buffer;
      readonly certificate: Buffer;
      /** Certificates of the authorities between it and a trust anchor, in any order. */
      readonly chain: readonly Buffer[];
      readonly hashType: HashType;
    };

/** What was read from the chip of a passport (ICAO 9303-10). */
export interface PassportChip {
  /** Elementary file EF.SOD. */
  readonly securityObject: Buffer;
  /** Elementary files EF.DG1 … EF.DG16 by data group number. */
  readonly dataGroups: ReadonlyMap<number, Buffer>;
  /** The machine-readable zone as printed, its lines one after another; null when it was not read. */
  readonly mrz: string | null;
  /** What the chip answered to the challenge; null when it was not asked. */
  readonly chipSignature: Buffer | null;
}

/** What a person sends, by method. */
export interface StepInputs {
  readonly citizenCard: CitizenCard;
  readonly dan: AuthorizationResponse;
  readonly gsign: SignedChallenge;
  readonly passport: PassportChip;
}

/** What a provider finds. */
export type Verdict =
  | {
      readonly outcome: 'IDENTIFIED';
      /** As the civil registry has it now. */
      readonly record: CivilRecord;
      /** What it was found by, kept with the outcome, sealed under the person's key; never a secret. */
      readonly evidence: Readonly<Record<string, string>>;
    }
  | { readonly outcome: 'FAILED'; readonly reason: VerificationFailure };

/** One way to verify an identity. */
export interface IdentityProvider<Method extends VerificationMethod> {
  /** What the person has to do in this turn. */
  nextStep(turn: VerificationTurn): NextStep;
  /**
   * Judges what the person sent. `turn` is the one `nextStep` was made for.
   *
   * @param countFor counts an attempt to be this person and refuses when there were too many; called before anything is
   *   compared that could be guessed, or once the person has proved it
   * @throws Refusal RATE_LIMITED (from `countFor`)
   * @throws Unavailable when an outside party does not answer; the attempt is given back
   */
  check(
    turn: VerificationTurn,
    input: StepInputs[Method],
    countFor: (person: string) => Promise<void>,
  ): Promise<Verdict>;
}

/** The providers that are active; one that is not configured is missing. */
export type IdentityProviders = {
  readonly [Method in VerificationMethod]?: IdentityProvider<Method>;
};
