import { type PaymentInitiation, readPayment } from '../../domain/oidcClient/paymentInitiation.ts';
import { textOf } from './parameters.ts';

type Parameters = Readonly<Record<string, unknown>> | undefined;

/** The authorization details of a request (RFC 9396 §2), parsed; undefined: none. @throws SyntaxError */
export function detailsOf(parameters: Parameters): unknown {
  const text = textOf(parameters?.['authorization_details']);
  return text === null ? undefined : (JSON.parse(text) as unknown);
}

/** The payment of a request; null: none. @param parameters as the library accepted them */
export function paymentIn(parameters: Parameters): PaymentInitiation | null {
  const details = detailsOf(parameters);
  if (details === undefined) return null;
  const read = readPayment(details);
  if ('fault' in read) throw new Error('A request was accepted with details that it may not have.');
  return read.payment;
}
