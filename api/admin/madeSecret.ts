import { z } from 'zod';
import type { MadeSecret } from '../../application/approval/operations.ts';
import { issuedClientSecretView } from './oidcClientViews.ts';
import { issuedSecret, issuedSecretView } from './relyingPartyViews.ts';

/** A secret an approved command made, whosever it is. */
export const madeSecretView = z.union([issuedSecretView, issuedClientSecretView]);

export function madeSecret(made: MadeSecret) {
  return 'clientId' in made ? made : issuedSecret(made);
}
