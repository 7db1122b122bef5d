import { sha256Hex } from '../../domain/shared/digest.ts';
import { HAND_OVER_MS, type HandOver } from '../../domain/shared/handOver.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';

/** Kinds of holders: a relying party, or an OpenID Connect client. */
const holders = ['rp', 'oidc'] as const;

export type SecretHolder = (typeof holders)[number];

/** A link's token, returned once; only its SHA-256 is stored. */
export interface Offer {
  /** Of the relying party or client. */
  readonly holderId: string;
  /** `rp.<uuid>.<43 characters>` or `oidc.…`: 256 random bits, so that a plain hash resists search. */
  readonly token: string;
  /** ISO 8601. */
  readonly until: string;
}

const TOKEN_BYTES = 32;

/** Makes a link's token, and what is stored of it. */
export function newOffer(
  { clock, randomness }: { readonly clock: Clock; readonly randomness: Randomness },
  holder: SecretHolder,
  holderId: string,
): { readonly offer: Offer; readonly handOver: HandOver } {
  const token = `${holder}.${holderId}.${randomness.bytes(TOKEN_BYTES).toString('base64url')}`;
  const until = new Date(clock.now().getTime() + HAND_OVER_MS).toISOString();
  return { offer: { holderId, token, until }, handOver: { tokenHash: sha256Hex(token), until } };
}

const TOKEN = /^([a-z]+)\.([0-9a-f-]{36})\.[\w-]{43}$/;

/** Reads whose secret a token hands over. @throws Refusal NOT_FOUND for what is no token */
export function readToken(token: string): {
  readonly holder: SecretHolder;
  readonly holderId: string;
  readonly tokenHash: string;
} {
  const [, kind, holderId] = TOKEN.exec(token) ?? [];
  const holder = holders.find((each) => each === kind);
  if (holder === undefined || holderId === undefined) {
    throw new Refusal('NOT_FOUND', { detail: 'This link is incomplete. Copy all of it.' });
  }
  return { holder, holderId, tokenHash: sha256Hex(token) };
}
