import { type Decider, unreachable } from '../shared/decider.ts';
import {
  expectOpen,
  type HandOver,
  type OfferedLink,
  type OpenedLink,
} from '../shared/handOver.ts';
import { Refusal } from '../shared/refusal.ts';
import type { OidcClientEvent, OidcClientRegistered } from './events.ts';
import { expectUsable, type OidcClientSettings, settingsIn } from './settings.ts';

// State

export type OidcClient =
  | { readonly status: 'NONE' }
  | {
      readonly status: 'ACTIVE' | 'DEACTIVATED';
      readonly clientId: string;
      readonly relyingPartyId: string;
      readonly settings: OidcClientSettings;
      /** Null: no secret. */
      readonly secretHash: string | null;
      /** Null: none is open. */
      readonly handOver: OfferedLink | null;
      readonly registeredAt: string;
    };

export type RegisteredOidcClient = Exclude<OidcClient, { status: 'NONE' }>;

const initial: OidcClient = { status: 'NONE' };

function evolve(client: OidcClient, event: OidcClientEvent): OidcClient {
  if (event.type === 'OidcClientRegistered') {
    const { clientId, relyingPartyId, secretHash, registeredAt } = event.data;
    const settings = settingsIn(event.data);
    const known = { clientId, relyingPartyId, settings, secretHash, registeredAt };
    return { ...known, status: 'ACTIVE', handOver: null };
  }
  if (client.status === 'NONE') return client;
  switch (event.type) {
    case 'OidcClientEdited':
      return { ...client, settings: settingsIn(event.data) };
    case 'OidcClientSecretRotated':
      return { ...client, secretHash: event.data.secretHash, handOver: null };
    case 'OidcClientSecretOffered': {
      const { tokenHash, until, offeredAt } = event.data;
      return { ...client, handOver: { tokenHash, until, offeredAt } };
    }
    case 'OidcClientDeactivated':
      return { ...client, status: 'DEACTIVATED', handOver: null };
    case 'OidcClientReactivated':
      return { ...client, status: 'ACTIVE' };
    default:
      return unreachable(event);
  }
}

// Commands

/** Rule for addresses: http allowed for loopback or not. */
interface Where {
  readonly allowsLoopback: boolean;
}

export type OidcClientCommand =
  | (Where & {
      readonly type: 'RegisterOidcClient';
      readonly registered: OidcClientRegistered['data'];
      /** Link to its first secret; omitted: the requester gets it. */
      readonly handOver?: HandOver;
    })
  | (Where & {
      readonly type: 'EditOidcClient';
      /** Changed settings; others stay. */
      readonly changes: Partial<OidcClientSettings>;
      readonly now: string;
    })
  | {
      readonly type: 'RotateOidcClientSecret';
      readonly secretHash: string;
      /** Hash of the token of the link that was opened; omitted: an operator rotates. */
      readonly openedBy?: OpenedLink;
      readonly now: string;
    }
  | ({ readonly type: 'OfferOidcClientSecret'; readonly now: string } & HandOver)
  | { readonly type: 'DeactivateOidcClient' | 'ReactivateOidcClient'; readonly now: string };

// Decisions

function decide(command: OidcClientCommand, client: OidcClient): readonly OidcClientEvent[] {
  if (command.type === 'RegisterOidcClient') return register(command, client);
  if (client.status === 'NONE') throw new Refusal('OIDC_CLIENT_NOT_FOUND');
  const { clientId } = client;
  switch (command.type) {
    case 'EditOidcClient':
      return edit(command, client);
    case 'RotateOidcClientSecret':
      return rotate(command, client);
    case 'OfferOidcClientSecret':
      return offer(command, client);
    case 'DeactivateOidcClient':
      if (client.status === 'DEACTIVATED') return [];
      return [{ type: 'OidcClientDeactivated', data: { clientId, deactivatedAt: command.now } }];
    case 'ReactivateOidcClient':
      if (client.status === 'ACTIVE') return [];
      return [{ type: 'OidcClientReactivated', data: { clientId, reactivatedAt: command.now } }];
    default:
      return unreachable(command);
  }
}

/** True when clients with this authentication method have a secret. */
export function hasSecret({ authMethod }: Pick<OidcClientSettings, 'authMethod'>): boolean {
  return authMethod === 'client_secret_basic' || authMethod === 'client_secret_post';
}

function register(
  {
    registered,
    handOver,
    allowsLoopback,
  }: Extract<OidcClientCommand, { readonly type: 'RegisterOidcClient' }>,
  client: OidcClient,
): readonly OidcClientEvent[] {
  if (client.status !== 'NONE') {
    throw new Refusal('CONFLICT', { detail: 'A client with this client_id already exists.' });
  }
  expectUsable(registered, allowsLoopback);
  const { clientId, registeredAt: offeredAt } = registered;
  const registration: OidcClientEvent = { type: 'OidcClientRegistered', data: registered };
  if (handOver === undefined) return [registration];
  expectSecret(registered);
  return [
    registration,
    { type: 'OidcClientSecretOffered', data: { clientId, ...handOver, offeredAt } },
  ];
}

function edit(
  { changes, now, allowsLoopback }: Extract<OidcClientCommand, { readonly type: 'EditOidcClient' }>,
  { clientId, settings }: RegisteredOidcClient,
): readonly OidcClientEvent[] {
  const edited = settingsIn({ ...settings, ...changes });
  if (hasSecret(edited) !== hasSecret(settings)) {
    const detail =
      'A client cannot change between having a secret and having none. Register another client.';
    throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/authMethod', detail }] });
  }
  expectUsable(edited, allowsLoopback);
  if (JSON.stringify(settings) === JSON.stringify(edited)) return [];
  return [{ type: 'OidcClientEdited', data: { ...edited, clientId, editedAt: now } }];
}

/** @throws Refusal CONFLICT */
export function expectSecret(settings: Pick<OidcClientSettings, 'authMethod'>): void {
  if (hasSecret(settings)) return;
  throw new Refusal('CONFLICT', { detail: 'This client has no secret.' });
}

function offer(
  { tokenHash, until, now }: Extract<OidcClientCommand, { readonly type: 'OfferOidcClientSecret' }>,
  { clientId, settings, status }: RegisteredOidcClient,
): readonly OidcClientEvent[] {
  expectSecret(settings);
  if (status === 'DEACTIVATED') {
    throw new Refusal('CONFLICT', { detail: 'Reactivate the client first.' });
  }
  const data = { clientId, tokenHash, until, offeredAt: now };
  return [{ type: 'OidcClientSecretOffered', data }];
}

function rotate(
  {
    secretHash,
    openedBy,
    now,
  }: Extract<OidcClientCommand, { readonly type: 'RotateOidcClientSecret' }>,
  { clientId, settings, secretHash: present, handOver }: RegisteredOidcClient,
): readonly OidcClientEvent[] {
  expectSecret(settings);
  if (secretHash === present) return [];
  if (openedBy !== undefined) expectOpen(handOver, openedBy, now);
  return [{ type: 'OidcClientSecretRotated', data: { clientId, secretHash, rotatedAt: now } }];
}

/** The aggregate of a client of the OpenID Connect provider. Stream `oidcClient-<client_id>`. */
export const oidcClientDecider: Decider<OidcClient, OidcClientCommand, OidcClientEvent> = {
  initial,
  evolve,
  decide,
};
