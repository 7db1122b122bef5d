import { parentPort, workerData } from 'node:worker_threads';
import { Misconfigured, Overloaded, Unavailable } from '../../application/ports/faults.ts';
import { createPkcs11Token, type Pkcs11TokenOptions } from './pkcs11Token.ts';
import { createTokenKeys } from './tokenKeys.ts';
import type { TokenAnswer, TokenCall } from './tokenThread.ts';

// Worker of `tokenThread.ts`.

const token = createPkcs11Token(workerData as Pkcs11TokenOptions);
const keys = createTokenKeys(token);
/** Largest number of answers sent together: a turn may be long, and the main thread continues with these. */
const TOGETHER = 8;
let unsent: TokenAnswer[] = [];

function send(): void {
  if (unsent.length === 0) return;
  parentPort?.postMessage(unsent);
  unsent = [];
}

function answer(given: TokenAnswer): void {
  const waiting = unsent.push(given);
  if (waiting === 1) setImmediate(send);
  if (waiting >= TOGETHER) send();
}

function perform({ id, method, parameters }: TokenCall): void {
  const operation = keys[method] as (...parameters: readonly unknown[]) => Promise<unknown>;
  operation(...parameters).then(
    (value: unknown) => answer({ id, value }),
    (error: unknown) => answer({ id, failed: failureOf(error) }),
  );
}

function failureOf(error: unknown): NonNullable<TokenAnswer['failed']> {
  if (error instanceof Overloaded) return { kind: 'Overloaded', text: error.message };
  if (error instanceof Unavailable) {
    const isMisconfigured = error.cause instanceof Misconfigured;
    return { kind: 'Unavailable', text: textOf(error.cause), isMisconfigured };
  }
  return { kind: 'Error', text: textOf(error) };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The token does not answer.';
}

parentPort?.on('message', (message: readonly TokenCall[] | 'stop') => {
  if (message === 'stop') {
    token.stop();
    process.exit();
  }
  for (const call of message) perform(call);
});
