import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import type { OidcHost } from '../../application/openIdConnect/ports/oidcHost.ts';
import { askedClass, scopesToAskFor } from './claimsParameter.ts';
import { wordsOf } from './parameters.ts';
import { asksForDetails } from './richAuthorization.ts';

export interface PolicyOptions {
  /** Register number of the organization an account acts for; null: none. */
  readonly registerOf: (accountId: string) => string | null;
  /** Subject identifier of an account at a client (OpenID Connect Core §8.1). */
  readonly subjectOf: (client: Readonly<Record<string, unknown>>, accountId: string) => string;
}

type Check = (ctx: KoaContextWithOIDC) => boolean;

/** True when logged in and the session itself requires no further prompt. */
const hasLogin: Check = ({ oidc }) => typeof oidc.session?.accountId === 'string';

const justLoggedIn: Check = ({ oidc }) => oidc.result?.login !== undefined;

/**
 * Requires a login beyond the library's own checks: the account was deactivated, the login's class is too low
 * (`acr_values`), it is for another organization than requested (`on_behalf_of`), or it was for something else than the
 * payment that is asked for.
 */
export function createInteractionPolicy(
  host: Pick<OidcHost, 'contextClasses' | 'satisfies' | 'registerIn'>,
  { registerOf, subjectOf }: PolicyOptions,
) {
  const policy = interactionPolicy.base();
  const { Check: LibraryCheck } = interactionPolicy;
  const login = policy.get('login');
  const consent = policy.get('consent');
  if (login === undefined || consent === undefined) {
    throw new Error('The library has no prompts for login and consent.');
  }
  // The library compares texts, and asks for the login again and again.
  for (const reason of ['essential_acrs', 'essential_acr']) login.checks.remove(reason);
  consent.checks.remove('op_claims_missing');
  consent.checks.add(
    new LibraryCheck(
      'claims_missing',
      'consent to claims asked for',
      (ctx) => scopesToAskFor(ctx).length > 0,
      (ctx) => ({ scopesOfClaims: scopesToAskFor(ctx) }),
    ),
  );
  const add = (reason: string, description: string, isNeeded: Check) =>
    login.checks.add(
      // Told with `prompt=none` (§3.1.2.6): only another login helps.
      new LibraryCheck(
        reason,
        description,
        'login_required',
        (ctx) => hasLogin(ctx) && isNeeded(ctx),
      ),
    );

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
      !host.satisfies(ctx.oidc.session?.acr, askedClass(ctx.oidc.params).values),
  );
  login.checks.add(
    new LibraryCheck('essential_class', 'a class that is needed is known', ({ oidc }) => {
      const { values, isEssential } = askedClass(oidc.params);
      const isKnown = values.some((each) => host.contextClasses.includes(each));
      if (!isEssential || values.length === 0 || isKnown) return LibraryCheck.NO_NEED_TO_PROMPT;
      throw new errors.UnmetAuthenticationRequirements('no login is of a class that is needed');
    }),
  );
  add(
    'authorization_details',
    'the phone confirms each payment',
    (ctx) => !justLoggedIn(ctx) && asksForDetails(ctx),
  );
  add('on_behalf_of', 'the login is for another organization', (ctx) => {
    const asked = organizationAsked(ctx, host);
    return asked !== null && asked !== registerOf(ctx.oidc.session?.accountId ?? '');
  });
  login.checks.add(
    new LibraryCheck('on_behalf_of_request', 'the request is understood', (ctx) => {
      organizationAsked(ctx, host);
      return LibraryCheck.NO_NEED_TO_PROMPT;
    }),
  );
  login.checks.add(
    new LibraryCheck('hinted_person', 'who was meant logged in', async (ctx) => {
      if (justLoggedIn(ctx)) await expectMeantPerson(ctx, subjectOf);
      return LibraryCheck.NO_NEED_TO_PROMPT;
    }),
  );
  return policy;
}

/**
 * Register number of the organization the client asks the citizen to act for; null: none.
 *
 * @throws errors.InvalidRequest when it is malformed, or the scope `organization` is missing
 */
function organizationAsked(
  { oidc }: KoaContextWithOIDC,
  { registerIn }: Pick<OidcHost, 'registerIn'>,
): string | null {
  const asked = oidc.params?.['on_behalf_of'];
  if (typeof asked !== 'string') return null;
  if (!wordsOf(oidc.params?.['scope']).includes('organization')) {
    throw new errors.InvalidRequest('on_behalf_of needs the scope organization');
  }
  const register = registerIn(asked);
  if (register === null) throw new errors.InvalidRequest('on_behalf_of names no organization');
  return register;
}

/**
 * Refuses a person other than that of `id_token_hint` or of a `sub` in `claims`, without prompting again and again
 * (OpenID Connect Core §3.1.2.1, §5.5.1). The library checks them before the login alone; the hint is one of this
 * client's, or the request would have been refused.
 *
 * @throws errors.LoginRequired
 */
async function expectMeantPerson(
  { oidc }: KoaContextWithOIDC,
  subjectOf: PolicyOptions['subjectOf'],
): Promise<void> {
  const { client, session, provider } = oidc;
  if (client === undefined || session?.accountId === undefined) return;
  const subject = subjectOf(client, session.accountId);
  const hint = oidc.params?.['id_token_hint'];
  const hinted =
    typeof hint === 'string'
      ? (await provider.IdToken.validate(hint, client)).payload['sub']
      : subject;
  const asked = oidc.claims.id_token?.['sub']?.value ?? subject;
  if (hinted === subject && asked === subject) return;
  throw new errors.LoginRequired('somebody else than the request names logged in');
}
