import { type ConsentScope, isApiScope } from '../../domain/shared/consentScopes.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { OidcEngine } from './ports/oidcEngine.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { ApisOf, ServedApi } from './ports/servedApis.ts';
import { type FindAccount, readAccountId } from './accounts.ts';
import type { OidcClients } from './aggregates.ts';
import { ownClientId } from './ownClient.ts';

/** A consent in force, for its citizen. */
export interface ShownConsent {
  readonly clientId: string;
  readonly name: string;
  /** Null: no English name. */
  readonly nameEn: string | null;
  readonly clientUri: string | null;
  readonly scopes: readonly ConsentScope[];
  /** APIs whose scopes may be among them, with their texts. */
  readonly apis: readonly ServedApi[];
  /** ISO 8601: last consent. */
  readonly givenAt: string;
}

/** A citizen's overview of the services they consented to. */
export interface ConsentOverview {
  readonly civilId: string;
  /** Father's name and given name. */
  readonly person: string;
  /** The newest first. */
  readonly consents: readonly ShownConsent[];
}

export interface CitizenConsentsDependencies {
  readonly engine: Pick<OidcEngine, 'loggedIn'>;
  readonly findAccount: FindAccount;
  readonly clients: Pick<OidcClients, 'load'>;
  readonly apisOf: ApisOf;
  readonly consentsOf: (
    civilId: string,
  ) => Promise<readonly Pick<ShownConsent, 'clientId' | 'scopes' | 'givenAt'>[]>;
  /** Also ends grants and tokens based on the consent. */
  readonly withdraw: (
    consent: { readonly civilId: string; readonly clientId: string },
    context: CommandContext,
  ) => Promise<void>;
  readonly randomness: Randomness;
  /** Address of the authorization endpoint. */
  readonly authorizationEndpoint: () => string;
  /** Address that the login returns to, of a page at this path. */
  readonly returnAddress: (page: string) => string;
}

/** Consent management by citizens, identified by the `Cookie` header of a logged-in browser. */
export interface CitizenConsents {
  /** Null: not logged in, or the login is no longer valid. */
  show(cookies: string | undefined): Promise<ConsentOverview | null>;
  /** @returns false when not logged in */
  withdraw(
    cookies: string | undefined,
    clientId: string,
    contextOf: (civilId: string) => CommandContext,
  ): Promise<boolean>;
  /** Address to log in and return. @param language BCP 47 @param page path of the page to return to @param state given back there */
  loginAddress(language: string, page: string, state?: string): string;
}

/** Oldest login that opens these pages, s: who finds the browser open later logs in anew. */
const MAX_AGE_SECONDS = 15 * 60;
const CHALLENGE_BYTES = 32;

export function createCitizenConsents(dependencies: CitizenConsentsDependencies): CitizenConsents {
  const { engine, findAccount, clients, apisOf, consentsOf, randomness } = dependencies;

  async function personOf(cookies: string | undefined) {
    const accountId = await engine.loggedIn(cookies, MAX_AGE_SECONDS);
    return accountId === null ? null : findAccount(readAccountId(accountId).civilId);
  }

  async function shown(
    consent: Pick<ShownConsent, 'clientId' | 'scopes' | 'givenAt'>,
  ): Promise<readonly ShownConsent[]> {
    const { state } = await clients.load(consent.clientId);
    if (state.status === 'NONE') return [];
    const { name, nameEn, clientUri } = state.settings;
    const apis = consent.scopes.some(isApiScope) ? await apisOf(consent.clientId) : [];
    return [{ ...consent, name, nameEn, clientUri, apis }];
  }

  return {
    async show(cookies) {
      const account = await personOf(cookies);
      if (account === null) return null;
      const { civilId, identity } = account;
      const given = await consentsOf(civilId);
      const others = given.filter(({ clientId }) => clientId !== ownClientId);
      const consents = (await Promise.all(others.map(shown))).flat();
      return { civilId, person: `${identity.surname} ${identity.givenName}`.trim(), consents };
    },
    async withdraw(cookies, clientId, contextOf) {
      const account = await personOf(cookies);
      if (account === null) return false;
      const { civilId } = account;
      await dependencies.withdraw({ civilId, clientId }, contextOf(civilId));
      return true;
    },
    loginAddress(language, page, state) {
      const query = new URLSearchParams({
        client_id: ownClientId,
        response_type: 'code',
        redirect_uri: dependencies.returnAddress(page),
        scope: 'openid',
        ui_locales: language,
        max_age: String(MAX_AGE_SECONDS),
        // Without a verifier: only the login is needed, the code is discarded.
        code_challenge: randomness.bytes(CHALLENGE_BYTES).toString('base64url'),
        code_challenge_method: 'S256',
        ...(state === undefined ? {} : { state }),
      });
      return `${dependencies.authorizationEndpoint()}?${query.toString()}`;
    },
  };
}
