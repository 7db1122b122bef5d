import { z } from 'zod';
import type { MadeSecret } from '../../application/approval/operations.ts';
import { handOverPath } from '../handOver/page.ts';
import { issuedClientSecret, issuedClientSecretView } from './oidcClientViews.ts';
import { issuedSecret, issuedSecretView } from './relyingPartyViews.ts';

/** A link that hands a secret over, told once. */
export const handOverView = z.strictObject({
  handOverPath: z.string().meta({
    description:
      'Path of the page below the origin of the OpenID issuer; the part after # is never sent to a server',
  }),
  until: z.iso.datetime(),
});

/** Choice of a registration: its first secret is handed over by a link. */
export const byLink = z.boolean().optional().meta({
  description:
    'True: the answer has a link in place of the secret, which is made for who opens it first; no operator sees it',
});

/** The same in the form of commands. */
export function byLinkIn({ byLink: isByLink }: { readonly byLink?: boolean | undefined }) {
  return isByLink === true ? ({ byLink: true } as const) : {};
}

/** Secret issued by an approved command, of a relying party or an OpenID client, or a link to one. */
export const issuedSecretResultView = z.union([
  issuedSecretView,
  issuedClientSecretView,
  handOverView,
]);

export function madeSecret(made: MadeSecret) {
  if ('token' in made) return { handOverPath: `${handOverPath}#${made.token}`, until: made.until };
  return 'clientId' in made ? issuedClientSecret(made) : issuedSecret(made);
}
