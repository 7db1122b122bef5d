import { startScriptedPhones } from '../../../apps/phone/scripted.ts';
import { registerClient } from '../oidc/oidcLogin.ts';
import type { ConsoleWorld } from '../worlds/consoleWorld.ts';
import type { DemoPhone } from './demoInstallation.ts';
import { call } from '../../../main/drill/callers.ts';

/** Sends JSON and expects success. @returns the answer */
async function sent(
  url: string,
  body: object,
  token?: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, body: answer } = await call(url, {
    method: 'POST',
    body,
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

/** A document with a file that a citizen has signed. @returns its id */
export async function signedDocument(world: ConsoleWorld, signer: DemoPhone): Promise<string> {
  const { token } = await world.operator('SUPER_ADMIN');
  const { regNo } = signer.citizen;
  const root = `${world.demo.service.origin}/documents`;
  const titled = { title: 'Нэвтрүүлэх хүсэлт', doc_type: 'REQUEST' };
  const { id } = await sent(root, { ...titled, signers: [{ reg_number: regNo }] }, token);
  const form = new FormData();
  form.append('file', new Blob(['Read me.'], { type: 'text/plain' }), 'request.txt');
  const headers = { authorization: `Bearer ${token}` };
  await fetch(`${root}/${String(id)}/file`, { method: 'POST', headers, body: form });
  const phones = startScriptedPhones([signer]);
  try {
    const signing = `${root}/${String(id)}/sign/eid`;
    const { session_id } = await sent(`${signing}/start`, { reg_number: regNo }, token);
    await sent(`${signing}/poll`, { session_id, timeout_ms: 30_000 }, token);
  } finally {
    await phones.stop();
  }
  return String(id);
}

/** A client of the demo's relying party, registered on the machine itself, where nobody has to approve. @returns its client id */
export async function registeredClient({ demo }: ConsoleWorld): Promise<string> {
  const { clientId } = await registerClient(demo, {
    name: 'Иргэний портал',
    redirectUris: ['https://portal.example.mn/callback'],
  });
  return clientId;
}
