import type { Request, Response } from 'express';
import type { Interaction } from '@tamga/client';
import { signByLink } from '../flows/signByLink.ts';
import { signByPush, type ToSign } from '../flows/signByPush.ts';
import { traced } from '../tracing.ts';
import type { Channel, ContractPurpose, Customer, OrderPurpose } from '../visitors.ts';
import { type Bank, visitorOf } from './exchange.ts';
import { begin, type Start } from './pending.ts';

/** Request for a signature and its subject. */
export interface SignatureWish {
  readonly channel: Channel;
  readonly purpose: OrderPurpose | ContractPurpose;
  readonly toSign: ToSign;
}

/** Asks the customer for a signature and sends the browser to wait for it. */
export async function askForSignature(
  bank: Bank,
  response: Response,
  { channel, purpose, toSign }: SignatureWish,
): Promise<void> {
  const { client } = bank;
  const visitor = visitorOf(response);
  const start: Start = (back) =>
    channel === 'push'
      ? traced(visitor, 'signByPush', () => signByPush(client, toSign))
      : traced(visitor, 'signByLink', () =>
          signByLink(client, toSign, back === null ? {} : { callbackUrl: back.callbackUrl }),
        );
  await begin(bank, response, { channel, purpose }, start);
}

/** Customer of a request; without one, redirects to the login and returns null. */
export function customerOrLogin({ settings }: Bank, response: Response): Customer | null {
  const { customer } = visitorOf(response);
  if (customer === undefined) response.redirect(303, `${settings.base}/`);
  return customer ?? null;
}

/** Interactions of a phone, in a push with the code to choose: the longer text where the phone supports it. */
export function interactionsOf(
  channel: Channel,
  short: string,
  long = short,
): readonly Interaction[] {
  const type =
    channel === 'push' ? 'confirmationMessageAndVerificationCodeChoice' : 'confirmationMessage';
  return [
    { type, displayText200: shortened(long, 200) },
    { type: 'displayTextAndPIN', displayText60: shortened(short, 60) },
  ];
}

function shortened(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

/** Query parameter as text. */
export function asked(request: Request, name: string): string {
  const value = request.query[name];
  return typeof value === 'string' ? value : '';
}
