import type { Request, Response } from 'express';
import type { SessionResult, ValidatedAuthentication } from '@tamga/client';
import { finishLogin } from '../flows/finishLogin.ts';
import { representationsOf } from '../flows/representations.ts';
import { traced } from '../tracing.ts';
import type { Customer, Pending } from '../visitors.ts';
import { type Bank, visitorOf } from './exchange.ts';
import { fail } from './pending.ts';

/** A session that has ended, and how. */
export interface Ended {
  readonly pending: Pending;
  readonly result: SessionResult;
}

/** Does what the citizen confirmed, once it is believed. @returns where the browser goes */
export async function settle(
  bank: Bank,
  request: Request,
  response: Response,
  ended: Ended,
): Promise<string> {
  const { base } = bank.settings;
  delete visitorOf(response).pending;
  try {
    const { kind } = ended.pending.purpose;
    switch (kind) {
      case 'login':
        await logIn(bank, request, response, ended);
        return `${base}/account`;
      default:
        throw new Error(`Nothing is done after ${kind}.`);
    }
  } catch (error) {
    fail(response, error);
    return `${base}/failure`;
  }
}

async function logIn(
  { client, visitors }: Bank,
  request: Request,
  response: Response,
  { pending, result }: Ended,
): Promise<void> {
  const visitor = visitorOf(response);
  const login = await traced(visitor, 'finishLogin', () =>
    finishLogin(client, pending.session, result),
  );
  const etsi = login.subject.serialNumber ?? '';
  const representations = await traced(visitor, 'representations', () =>
    representationsOf(client, etsi),
  );
  visitor.customer = { ...customerOf(login), etsi, channel: pending.channel, representations };
  visitors.renew(request, response, visitor);
}

function customerOf({
  subject,
  certificate,
  certificateLevel,
  documentNumber,
}: ValidatedAuthentication) {
  const { serialNumber, issuer, validFrom, validTo, fingerprint256 } = certificate;
  return {
    givenName: subject.givenName ?? '',
    surname: subject.surname ?? '',
    documentNumber,
    level: certificateLevel,
    loggedInAt: new Date(),
    certificate: {
      ...{ serialNumber, validFrom, validTo },
      issuer: /^CN=(.*)$/m.exec(issuer)?.[1] ?? issuer,
      fingerprint: fingerprint256,
    },
  } satisfies Partial<Customer>;
}
