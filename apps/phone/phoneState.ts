import type { Bytes } from './bytes.ts';
import type { CryptoKey, KeyType } from './crypto.ts';
import type { PinName } from './session.ts';
import type { SignRsa } from './signing.ts';

/** A private key wrapped under a PIN. */
export interface WrappedKey {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Bytes;
  /** PKCS#8 encrypted with AES-256-GCM, the tag at its end. */
  readonly wrapped: ArrayBuffer;
  readonly nonce: Bytes;
  /** Salt of the wrapping key's derivation. */
  readonly salt: Bytes;
  /** Of the derivation; what one costs depends on the store. */
  readonly iterations: number;
  /** Consecutive wrong PINs. */
  readonly wrongPins: number;
  /**
   * ISO 8601: until then no PIN is tried; also when it is over, until a PIN was right. Absent: there was no rest, as of a
   * phone that locked for good at once.
   */
  readonly restsUntil?: string;
}

export interface PhoneState {
  readonly etsi: string;
  /** Name of the citizen's card; empty until the first certificate is read. */
  readonly name: string;
  /** `YYYY-MM-DD`, by which weak PINs are known; absent from phones set up before it was kept, or without a card. */
  readonly birthDate?: string;
  /** Type of the PIN keys. */
  readonly keyType: KeyType;
  readonly keys: Readonly<Record<PinName, WrappedKey>>;
  /** P-256: the app signs its requests with it, without a PIN. */
  readonly transport: CryptoKey;
  /** Key by which PINs can only be tried where the store is; null: the store has none. */
  readonly pepper: CryptoKey | null;
  /** Body of an enrolment in progress, repeated unchanged until it is answered. */
  readonly enrolment: object | null;
  readonly documentNumber: string | null;
}

/** Makes offline guessing of PINs, which have few digits, expensive. */
export interface PinHash {
  /** For keys wrapped from now on. */
  readonly iterations: number;
  newPepper(): Promise<CryptoKey | null>;
  /** Derives the AES-GCM key that wraps and unwraps a private key. */
  wrappingKey(
    pin: string,
    derivation: Pick<WrappedKey, 'salt' | 'iterations'> & Pick<PhoneState, 'pepper'>,
  ): Promise<CryptoKey>;
}

/** Storage of a phone, and what it can do there beyond WebCrypto. */
export interface PhoneStore {
  readonly pinHash: PinHash;
  /** True when the transport key is stored as bytes, and so made extractable. */
  readonly isText: boolean;
  /** Absent: this phone has P-256 keys only. */
  readonly signRsa?: SignRsa;
  load(): Promise<PhoneState | null>;
  /** Replaces the whole state; to change it, load and save within {@link PhoneStore.alone}. */
  save(state: PhoneState): Promise<void>;
  /** Deletes the phone. */
  clear(): Promise<void>;
  /**
   * Runs `work` when no other such work on this phone runs. The state is written as a whole: counting one PIN must not
   * undo the count of the other.
   */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
}
