import type { Page } from 'playwright-core';
import { capabilities, operatorRoles } from '../../../domain/operator/capabilities.ts';
import { permissions } from '../../../domain/relyingParty/settings.ts';
import { settled } from './settledPage.ts';

const CODE = /\b[A-Z]{2,}(?:_[A-Z\d]+)+\b/g;

/** Names of fields and of types, but for what is written so: iOS, eID, gSign, an attribute of X.520, JSON to be typed. */
const FIELD =
  /(?<!")\b(?!e[A-Z]|i[A-Z]|g[A-Z]|organizationIdentifier\b)[a-z]+(?:[A-Z][a-z]+)+[A-Z]*\b/g;

/** Codes of one word that readers might see; abbreviations of the field are none. */
const words: ReadonlySet<string> = new Set([
  ...operatorRoles,
  ...capabilities,
  ...permissions,
  ...['ACTIVE', 'VALID', 'REVOKED', 'EXPIRED', 'SUSPENDED', 'PENDING', 'RUNNING', 'TIMEOUT'],
  ...['AUTHENTICATION', 'SIGNATURE', 'NOTIFICATION', 'APNS', 'FCM', 'SIM', 'ADMIN'],
]);

/** Hashes and keys in base64, whose letters may be anything. */
const HASH = /\S{32,}/g;

/** Codes of the API that a reader of the page sees, each once; names of settings are none. */
export async function codesSeen(page: Page): Promise<readonly string[]> {
  await settled(page);
  const text = await page.evaluate<string>('document.body.innerText');
  const codes = (text.match(CODE) ?? []).filter((code) => !code.startsWith('SVC_'));
  const known = text.split(/[\s,;.()“”«»"]+/u).filter((word) => words.has(word));
  const fields = text.replaceAll(HASH, '').match(FIELD) ?? [];
  return [...new Set([...codes, ...known, ...fields])];
}
