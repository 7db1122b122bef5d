import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { personEtsi } from '../../domain/shared/etsi.ts';
import {
  issueDemoPassports,
  type PassportStep,
} from '../../infrastructure/passport/demo/demoPassports.ts';
import type { PassportPage } from '../../infrastructure/passport/demo/passportPage.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { certificatePem } from '../../infrastructure/pki/trustFiles.ts';
import type { ProgressReport } from './demoProgress.ts';

/** Holder of the demo passport: a citizen of the demo registry without a phone. */
export const demoPassportHolder = {
  civilId: '110000000010',
  name: 'Уянга Жигжидсүрэн',
  page: {
    surname: 'JIGJIDSUREN',
    givenName: 'UYANGA',
    documentNumber: 'E7305260',
    birthDate: '730526',
    sex: 'F',
    expiryDate: '350101',
    personalNumber: '110000000010',
  },
} as const satisfies { readonly page: PassportPage } & Readonly<Record<string, unknown>>;

/** Passport files named in `.tamga/demo.json`. */
export interface DemoPassport {
  readonly holder: string;
  /** Path of the body of `POST …/steps/passport`, JSON. */
  readonly step: string;
  /** Path of the country authority's certificate, PEM: `SVC_KYC_PASSPORT_CSCA`. */
  readonly authority: string;
}

/**
 * Reads the passport of the directory; the first run issues it with a country authority of its own.
 */
export async function prepareDemoPassport(dataDir: string, now: Date): Promise<DemoPassport> {
  const directory = resolve(join(dataDir, 'passport'));
  const authority = join(directory, 'country-authority.pem');
  const step = join(directory, 'passport.json');
  if (!(await exists(step)) || !(await exists(authority))) {
    const made = issueDemoPassports([demoPassportHolder.page], now);
    await mkdir(directory, { recursive: true });
    await writeFile(authority, certificatePem(made.authority));
    await writeFile(step, `${JSON.stringify(made.passports[0], null, 2)}\n`, { mode: 0o600 });
  }
  return { holder: personEtsi(demoPassportHolder.civilId), step, authority };
}

/**
 * Reads the demo passport; null outside of the demo, or where other country authorities are
 * configured.
 */
export async function demoPassportOf({
  SVC_PROFILE,
  SVC_DATA_DIR,
  SVC_KYC_PASSPORT_CSCA,
}: Config): Promise<DemoPassport | null> {
  return SVC_PROFILE === 'development' && SVC_KYC_PASSPORT_CSCA === undefined
    ? prepareDemoPassport(SVC_DATA_DIR, new Date())
    : null;
}

/**
 * Verifies the holder's identity over HTTP and prints the result. @throws Error when verification
 * fails
 */
export async function showPassport(
  origin: string,
  passport: DemoPassport,
  { step, say }: ProgressReport,
): Promise<void> {
  step(`Identity of ${demoPassportHolder.name}, verified by passport`);
  const etsi = await verifyByDemoPassport(origin, passport);
  say(`  VERIFIED: ${etsi}, with a one-time token to enrol a phone; by hand: docs/tour.md`);
}

/** @returns semantics identifier of the holder, `PNOMN-…` */
async function verifyByDemoPassport(origin: string, { step }: DemoPassport): Promise<string> {
  const root = `${origin}/v3/kyc/verifications`;
  const { verification, secret } = await post<{
    readonly verification: { readonly verificationId: string };
    readonly secret: string;
  }>(root, { method: 'passport' });
  const passport = JSON.parse(await readFile(step, 'utf8')) as PassportStep;
  const { status, failure, verified } = await post<{
    readonly status: string;
    readonly failure: string | null;
    readonly verified: { readonly etsi: string } | null;
  }>(`${root}/${verification.verificationId}/steps/passport`, passport, secret);
  if (verified === null)
    throw new Error(`Verification with the demo passport failed: ${status}, ${failure ?? ''}`);
  return verified.etsi;
}

async function post<Answer>(url: string, body: object, bearer?: string): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(15_000),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  return (await response.json()) as Answer;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
