import { Secret, TOTP } from 'otpauth';
import type { OneTimeCodes } from '../../application/operator/ports/oneTimeCodes.ts';

const SECRET_BYTES = 20;
const STEP_SECONDS = 30;
/** Time steps accepted before and after the current one. */
const WINDOW = 1;

/** @param issuer shown by the authenticator beside the account */
export function createTotpCodes({ issuer }: { readonly issuer: string }): OneTimeCodes {
  const totp = (secret: string, label = '') =>
    new TOTP({
      issuer,
      label,
      secret: Secret.fromBase32(secret),
      algorithm: 'SHA1',
      digits: 6,
      period: STEP_SECONDS,
    });
  return {
    newSecret: () => new Secret({ size: SECRET_BYTES }).base32,
    enrolmentUri: (secret, account) => totp(secret, account).toString(),
    counterOf(secret, code, now) {
      // The library compares bytes and throws for longer non-ASCII characters.
      if (!/^[0-9]{6}$/.test(code)) return null;
      const timestamp = now.getTime();
      const steps = totp(secret).validate({ token: code, timestamp, window: WINDOW });
      if (steps === null) return null;
      return Math.floor(timestamp / 1000 / STEP_SECONDS) + steps;
    },
  };
}
