import { Refusal } from '../../domain/shared/refusal.ts';
import type { Guard } from '../http/route.ts';

/**
 * Reads the secret of an identity verification from `Authorization: Bearer`. It is compared where
 * the verification is loaded.
 */
export const verificationSecret: Guard<string> = {
  description: 'the person who started the identity verification',
  security: ['verificationSecret'],
  check: (context) => {
    const { authorization = '' } = context.headers;
    const secret = /^Bearer +([A-Za-z0-9_-]{43}) *$/i.exec(authorization)?.[1];
    if (secret === undefined || context.headerCount('authorization') !== 1) {
      throw new Refusal('UNAUTHENTICATED', {
        detail: 'Send Authorization: Bearer <secret of the identity verification>.',
      });
    }
    return secret;
  },
};
