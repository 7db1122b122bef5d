import { handOverPath } from '../../api/handOver/page.ts';
import type { Offer } from '../../application/relyingParty/offers.ts';
import type { Service } from '../main.ts';
import { say } from './say.ts';

/** Prints a link that hands a secret over, once. */
export function sayLink(
  { token, until }: Offer,
  { openIdConnect }: Pick<Service, 'openIdConnect'>,
): void {
  const link = new URL(`${handOverPath}#${token}`, openIdConnect.issuer()).href;
  say(`link to the secret  ${link}   (until ${until}; shown only now)`);
}
