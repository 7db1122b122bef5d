import type { ConsoleWorld } from './consoleWorld.ts';
import { call } from './liveCallers.ts';

/** Sends JSON and expects success. @returns the answer */
async function sent(
  url: string,
  body: object,
  token?: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, body: answer } = await call(url, {
    ...{ method: 'POST', body },
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  });
  if (status >= 300) throw new Error(`${url}: ${status} ${JSON.stringify(answer)}`);
  return answer;
}

/** An identity verification with one failed attempt. @returns its id */
export async function failedVerification({ demo }: ConsoleWorld): Promise<string> {
  const root = `${demo.service.origin}/v3/kyc/verifications`;
  const { verification, secret } = await sent(root, { method: 'citizenCard' });
  const { verificationId } = verification as { readonly verificationId: string };
  const wrong = { identifier: '110000000001', cardNumber: 'X0', birthDate: '1990-01-01' };
  await sent(`${root}/${verificationId}/steps/citizen-card`, wrong, String(secret));
  return verificationId;
}
