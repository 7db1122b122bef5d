import type { Request, Response } from 'express';
import type { SessionResult, ValidatedAuthentication } from '@tamga/client';
import { finishLogin } from '../flows/finishLogin.ts';
import { type Expected, finishSignature } from '../flows/finishSignature.ts';
import { representationsOf } from '../flows/representations.ts';
import { isPassing } from '../failures.ts';
import { traced } from '../tracing.ts';
import type { Customer, Pending, Receipt } from '../visitors.ts';
import { type Bank, visitorOf } from './exchange.ts';
import { fail } from './pending.ts';

/** A completed session and its result. */
export interface Ended {
  readonly pending: Pending;
  readonly result: SessionResult;
}

/**
 * Validates the result and carries out the confirmed order.
 *
 * @returns the page to go to
 * @throws transient errors: the citizen's answer stands, so the session stays pending for a retry
 */
export async function settle(
  bank: Bank,
  request: Request,
  response: Response,
  ended: Ended,
): Promise<string> {
  const { base } = bank.settings;
  const visitor = visitorOf(response);
  delete visitor.pending;
  visitor.isSettling = true;
  try {
    const { purpose } = ended.pending;
    switch (purpose.kind) {
      case 'login':
        await logIn(bank, request, response, ended);
        return `${base}/account`;
      case 'order': {
        const receipt = await fileSignature(bank, response, ended, {
          digest: purpose.digest,
          onBehalfOf: purpose.order.onBehalfOf,
        });
        visitor.orders.unshift({ ...purpose.order, receipt });
        return `${base}/orders/${receipt.sessionId}`;
      }
      case 'contract': {
        const { contract, digest } = purpose;
        const { onBehalfOf } = contract;
        contract.receipt = await fileSignature(bank, response, ended, { digest, onBehalfOf });
        visitor.contract = contract;
        return `${base}/contract`;
      }
    }
  } catch (error) {
    if (isPassing(error)) {
      visitor.pending ??= ended.pending;
      throw error;
    }
    fail(response, error);
    return `${base}/failure`;
  } finally {
    delete visitor.isSettling;
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
  const { etsi } = login.person;
  const representations = await traced(visitor, 'representations', () =>
    representationsOf(client, etsi),
  );
  // Data of a customer logged in before must not be shown to this one.
  visitor.orders.length = 0;
  delete visitor.contract;
  visitor.customer = { ...customerOf(login), etsi, channel: pending.channel, representations };
  visitors.renew(request, response, visitor);
}

/** @throws ValidationError, SessionFailedError */
async function fileSignature(
  { client }: Bank,
  response: Response,
  { pending: { session }, result }: Ended,
  wanted: Pick<Expected, 'digest' | 'onBehalfOf'>,
): Promise<Receipt> {
  const visitor = visitorOf(response);
  const { etsi = '' } = visitor.customer ?? {};
  const signature = await traced(visitor, 'finishSignature', () =>
    finishSignature(client, result, { ...wanted, session, etsi }),
  );
  const { person, statedByService, signatureAlgorithm, signatureValueB64 } = signature;
  return {
    sessionId: session.sessionId,
    digest: wanted.digest,
    signedAt: new Date(),
    signer: `${person.firstName ?? ''} ${person.lastName ?? ''}`,
    algorithm: signatureAlgorithm,
    signature: signatureValueB64,
    onBehalfOf: statedByService.onBehalfOf?.orgName ?? null,
  };
}

function customerOf({
  person,
  certificate,
  certificateLevel,
  statedByService,
}: ValidatedAuthentication) {
  const { serialNumber, issuer, validFrom, validTo, fingerprint256 } = certificate;
  return {
    givenName: person.firstName ?? '',
    surname: person.lastName ?? '',
    documentNumber: statedByService.documentNumber,
    level: certificateLevel,
    loggedInAt: new Date(),
    certificate: {
      serialNumber,
      validFrom,
      validTo,
      issuer: /^CN=(.*)$/m.exec(issuer)?.[1] ?? issuer,
      fingerprint: fingerprint256,
    },
  } satisfies Partial<Customer>;
}
