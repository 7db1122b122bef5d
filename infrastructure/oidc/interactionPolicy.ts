import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import type { OidcHost } from '../../application/ports/oidcHost.ts';
import { wordsOf } from './parameters.ts';

type Check = (ctx: KoaContextWithOIDC) => boolean;

/** Whether somebody is logged in, and for the session's own sake nothing more is to be asked. */
const hasLogin: Check = ({ oidc }) => typeof oidc.session?.accountId === 'string';

/**
 * When a citizen is asked to log in beyond what the library knows: the account cannot be used any more, the login is not
 * of the class asked for (`acr_values`), or for another organization than asked for (`on_behalf_of`).
 */
export function createInteractionPolicy(
  host: Pick<OidcHost, 'satisfies' | 'isOnBehalfOf'>,
  registerOf: (accountId: string) => string | null,
) {
  const policy = interactionPolicy.base();
  const { Check: LibraryCheck } = interactionPolicy;
  const login = policy.get('login');
  if (login === undefined) throw new Error('The library has no login prompt.');
  const add = (reason: string, description: string, isNeeded: Check) =>
    login.checks.add(
      new LibraryCheck(reason, description, (ctx) => hasLogin(ctx) && isNeeded(ctx)),
    );
  const justLoggedIn: Check = ({ oidc }) => oidc.result?.login !== undefined;

  add(
    'account_unusable',
    'the account cannot be used any more',
    ({ oidc }) => oidc.account === undefined,
  );
  add(
    'acr_values',
    'the login is not of the class asked for',
    (ctx) =>
      !justLoggedIn(ctx) &&
      !host.satisfies(ctx.oidc.session?.acr, wordsOf(ctx.oidc.params?.['acr_values'])),
  );
  add('on_behalf_of', 'the login is for another organization', (ctx) => {
    const asked = ctx.oidc.params?.['on_behalf_of'];
    const accountId = ctx.oidc.session?.accountId;
    return (
      typeof asked === 'string' &&
      accountId !== undefined &&
      !host.isOnBehalfOf(asked, registerOf(accountId))
    );
  });
  return policy;
}
