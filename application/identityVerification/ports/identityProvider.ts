import type { HashType } from '../../../domain/shared/digest.ts';
import type {
  VerificationFailure,
  VerificationMethod,
} from '../../../domain/identityVerification/events.ts';
import type { CivilRecord } from '../../ports/civilRegistry.ts';

/** Context of one attempt within an identity verification. */
export interface VerificationTurn {
  readonly verificationId: string;
  /**
   * 32 bytes derived from the secret of the verification, from `label`, and from the number of attempts so far:
   * reproducible within the same turn, unpredictable to others. States, challenges, code verifiers and nonces therefore
   * need not be stored.
   */
  derive(label: string): Buffer;
}

/** Next step of the person; the answer goes to `POST …/steps/<kebab-case method>`. */
export type NextStep =
  | { readonly type: 'CARD' }
  | { readonly type: 'REDIRECT'; readonly url: string }
  | {
      readonly type: 'SIGNATURE';
      /** Exact bytes to sign, base64. */
      readonly challenge: string;
      readonly hashTypes: readonly HashType[];
    }
  | {
      readonly type: 'PASSPORT';
      /** Challenge for the chip, if it supports INTERNAL AUTHENTICATE (ICAO 9303-11 §6.1): 8 bytes, base64. */
      readonly challenge: string;
    };

/** Data printed on the identity card. */
export interface CitizenCard {
  /** Civil id or registration number, with or without `PNOMN-`. */
  readonly identifier: string;
  readonly cardNumber: string;
  /** `YYYY-MM-DD`. */
  readonly birthDate: string;
}

/** Response of an authorization server (RFC 6749 §4.1.2): a code, or an error. */
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

/** Data read from the chip of a passport (ICAO 9303-10). */
export interface PassportChip {
  /** Elementary file EF.SOD. */
  readonly securityObject: Buffer;
  /** Elementary files EF.DG1 … EF.DG16 by data group number. */
  readonly dataGroups: ReadonlyMap<number, Buffer>;
  /** The machine-readable zone as printed, without line breaks; null when not read. */
  readonly mrz: string | null;
  /** Response of the chip to the challenge; null when not challenged. */
  readonly chipSignature: Buffer | null;
}

/** Input of a person, by method. */
export interface StepInputs {
  readonly citizenCard: CitizenCard;
  readonly dan: AuthorizationResponse;
  readonly gsign: SignedChallenge;
  readonly passport: PassportChip;
}

/** Result of a provider. */
export type Verdict =
  | {
      readonly outcome: 'IDENTIFIED';
      /** Current record of the civil registry. */
      readonly record: CivilRecord;
      /** Evidence of the identification, stored with the outcome, encrypted under the person's key; never a secret. */
      readonly evidence: Readonly<Record<string, string>>;
    }
  | { readonly outcome: 'FAILED'; readonly reason: VerificationFailure };

/** Verdict that the person was not identified. */
export function failed(reason: VerificationFailure): Verdict {
  return { outcome: 'FAILED', reason };
}

/** A method to verify identities. */
export interface IdentityProvider<Method extends VerificationMethod> {
  /** Next step of the person in this turn. */
  nextStep(turn: VerificationTurn): NextStep;
  /**
   * Checks the person's input. `turn` is the one of `nextStep`.
   *
   * @param countFor counts an attempt against the limit of this person and the caller's address; called before comparing guessable data, or once the
   * identity is proven
   * @throws Refusal RATE_LIMITED (from `countFor`)
   * @throws Unavailable during an outage of an external system; the attempt does not count
   */
  check(
    turn: VerificationTurn,
    input: StepInputs[Method],
    countFor: (person: string) => Promise<void>,
  ): Promise<Verdict>;
}

/** The active providers; unconfigured ones are absent. */
export type IdentityProviders = {
  readonly [Method in VerificationMethod]?: IdentityProvider<Method>;
};
