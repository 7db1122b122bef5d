import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

const KEY_BYTES = 32;
const LAST_GENERATION = 255;

/** Keys that one master key wraps with. */
export interface WrappingKey {
  /** 0 of the installation's first master key, one more with each rotation; at most 255. */
  readonly generation: number;
  /** Wraps the keys of persons. */
  readonly persons: KeyObject;
  /** Encrypts software keys. */
  readonly software: KeyObject;
  /** Wraps the derivation key. */
  readonly derivation: KeyObject;
}

/** Wrapping keys by generation, of the master keys that this process was given. */
export interface WrappingKeys {
  /** The one that new keys are wrapped with. */
  current(): WrappingKey;
  /** Undefined: its master key was not given, or it began after the last look. */
  of(generation: number): WrappingKey | undefined;
  /** Looks which generation is the current one. @throws Misconfigured when its master key was not given */
  refresh(): Promise<void>;
}

/**
 * Derives the wrapping keys of a master key (HKDF-SHA-256).
 *
 * @throws Error when the master key is not 32 bytes
 */
export function wrappingKeyOf(masterKey: Uint8Array, generation: number): WrappingKey {
  if (masterKey.length !== KEY_BYTES) throw new Error('The master key must be 32 bytes.');
  if (generation > LAST_GENERATION)
    throw new Error('A master key can be rotated at most 255 times.');
  const derive = (info: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, '', info, KEY_BYTES)));
  return {
    generation,
    persons: derive('tamga/person-key-wrapping/v1'),
    software: derive('tamga software key sealing v1'),
    derivation: derive('tamga/derivation-key-wrapping/v1'),
  };
}

/** Wrapping keys of a master key that is never rotated. */
export function soleWrappingKey(masterKey: Uint8Array): WrappingKeys {
  const key = wrappingKeyOf(masterKey, 0);
  return {
    current: () => key,
    of: (generation) => (generation === 0 ? key : undefined),
    refresh: () => Promise.resolve(),
  };
}

/** Puts the version byte before what was wrapped; generation 0, from before rotation, has none. */
export const versioned = (generation: number, wrapped: Buffer): Buffer =>
  generation === 0 ? wrapped : Buffer.concat([Buffer.of(generation), wrapped]);
