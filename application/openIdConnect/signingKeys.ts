import type { Clock } from '../ports/clock.ts';
import type { OidcSigningKey, OidcSigningKeys } from './ports/oidcSigningKeys.ts';

export interface KeyRotationOptions {
  readonly keys: OidcSigningKeys;
  readonly clock: Clock;
  /** Signing period of a key, ms. */
  readonly periodMs: number;
  /** Time a key is published before it signs, ms, for clients that cache the key set. */
  readonly leadMs: number;
  /** Time a key stays published after its last signature, ms: longer than the lifetime of anything it signed. */
  readonly keepMs: number;
}

/** Rotation of the provider's signing keys (RFC 7517 §4.5; OpenID Connect Core §10.1.1). */
export interface KeyRotation {
  /** Labels of the published keys, the signing one first. Creates the first key. */
  published(): Promise<readonly string[]>;
  /** Introduces the next key when the current one has signed long enough. */
  rotateIfDue(): Promise<void>;
  /**
   * Introduces the next key now.
   *
   * @param atOnce it signs immediately; clients with a cached key set must refetch it
   */
  rotate(atOnce: boolean): Promise<void>;
}

export function createKeyRotation(options: KeyRotationOptions): KeyRotation {
  const { keys, clock, periodMs, leadMs, keepMs } = options;

  function introduce(number: number, activeFrom: Date): Promise<void> {
    return keys.introduce({ number, label: `oidc-${number}`, activeFrom });
  }

  async function known(): Promise<readonly OidcSigningKey[]> {
    const all = await keys.all();
    if (all.length > 0) return all;
    // The first key: no client has a cached set.
    await introduce(1, clock.now());
    return keys.all();
  }

  /** True when the key no longer signs, and everything it signed has expired. */
  function isOver(all: readonly OidcSigningKey[], { number }: OidcSigningKey, now: number) {
    const next = all.find((key) => key.number === number + 1);
    return next !== undefined && next.activeFrom.getTime() + keepMs <= now;
  }

  return {
    async published() {
      const all = await known();
      const now = clock.now().getTime();
      const live = all.filter((key) => !isOver(all, key, now));
      const signing = live.findLast(({ activeFrom }) => activeFrom.getTime() <= now) ?? live[0];
      return [signing, ...live.filter((key) => key !== signing)].flatMap((key) =>
        key === undefined ? [] : [key.label],
      );
    },
    async rotateIfDue() {
      const newest = (await known()).at(-1);
      const now = clock.now().getTime();
      if (newest === undefined || now < newest.activeFrom.getTime() + periodMs - leadMs) return;
      await introduce(newest.number + 1, new Date(now + leadMs));
    },
    async rotate(atOnce) {
      const newest = (await known()).at(-1);
      const now = clock.now();
      if (newest === undefined) return;
      if (newest.activeFrom > now) {
        if (atOnce) await keys.activate(newest.number, now);
        return;
      }
      await introduce(newest.number + 1, new Date(now.getTime() + (atOnce ? 0 : leadMs)));
    },
  };
}
