import type { DomainEvent } from '../shared/decider.ts';

// Storage format: see domain/session/events.ts. Facts that change no state and must be shown to auditors.

/** A citizen logged in to a client of the OpenID Connect provider. */
export type CitizenLoggedIn = DomainEvent<
  'CitizenLoggedIn',
  {
    readonly clientId: string;
    readonly civilId: string;
    /** The session the citizen answered. */
    readonly sessionId: string;
    /** Authentication context class (OpenID Connect Core §2). */
    readonly acr: string;
    /** Register of the organization the citizen acts for; null: for nobody else. */
    readonly register: string | null;
    readonly loggedInAt: string;
  }
>;

/** What was presented to the provider was refused in a way only misuse or a defect explains. */
export type CredentialRefused = DomainEvent<
  'CredentialRefused',
  {
    readonly clientId: string;
    /** Whose it was; null: nobody known. */
    readonly civilId: string | null;
    readonly reason:
      | 'CLIENT_AUTHENTICATION_FAILED'
      | 'CODE_REPLAYED'
      | 'REFRESH_TOKEN_REPLAYED'
      | 'CODE_VERIFIER_WRONG';
    readonly refusedAt: string;
  }
>;

/** The provider ended all that let clients act for a citizen. */
export type LoginsEnded = DomainEvent<
  'LoginsEnded',
  {
    readonly civilId: string;
    readonly reason: 'IDENTITY_UNUSABLE' | 'PERSON_FORGOTTEN';
    readonly endedAt: string;
  }
>;

export type OidcAccessEvent = CitizenLoggedIn | CredentialRefused | LoginsEnded;
