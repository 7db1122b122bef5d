import { z } from 'zod';
import type { MadeSecret } from '../../application/approval/operations.ts';
import { issuedClientSecretView } from './oidcClientViews.ts';
import { issuedSecret, issuedSecretView } from './relyingPartyViews.ts';

/** Secret issued by an approved command, of a relying party or an OpenID client. */
export const issuedSecretResultView = z.union([issuedSecretView, issuedClientSecretView]);

export function madeSecret(made: MadeSecret) {
  return 'clientId' in made ? made : issuedSecret(made);
}
