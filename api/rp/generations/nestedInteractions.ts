import { z } from 'zod';
import type { Interaction } from '../../../domain/session/events.ts';
import { faultOf } from '../../problems/faultOf.ts';
import { faultText } from '../../problems/faultTexts.ts';
import { base64, shownText } from './common.ts';

// Interactions of nested bodies (contract §1, §2). Their text is signed, so it must be unambiguous.

/** Rejects texts the interaction does not show: nothing unseen may be signed. */
const notShown = z.null('An interaction of this type does not show it.').optional();

const short = z
  .object({
    type: z.literal('displayTextAndPIN'),
    displayText60: shownText(60),
    displayText200: notShown,
  })
  .transform(({ type, displayText60 }): Interaction => ({ type, displayText60 }));

const long = z
  .object({
    type: z.literal(['confirmationMessage', 'confirmationMessageAndVerificationCodeChoice']),
    displayText60: notShown,
    displayText200: shownText(200),
  })
  .transform(({ type, displayText200 }): Interaction => ({ type, displayText200 }));

const interactionList = z
  .array(z.discriminatedUnion('type', [short, long]))
  .min(1, 'At least one interaction is needed.')
  .refine(
    (list) => new Set(list.map(({ type }) => type)).size === list.length,
    'Each type is allowed at most once, because the signature names only the type.',
  );

/**
 * Base64 of a JSON array in UTF-8; the original is kept beside the parsed value, because it is what
 * is signed.
 */
export const nestedInteractions = base64.transform((asSent, context) => {
  const fail = (path: PropertyKey[], message: string) =>
    void context.issues.push({ code: 'custom', input: asSent, path, message });
  const text = Buffer.from(asSent, 'base64').toString('utf8');
  const value = parsedJson(text);
  const parsed = interactionList.safeParse(value, { error: faultText });
  if (parsed.success && !namesTwice(text, value)) return { asSent, list: parsed.data };
  if (parsed.success) fail([], 'A member occurs twice. Parsers differ in which one they use.');
  for (const issue of parsed.error?.issues ?? []) {
    fail(issue.path, faultOf(issue, value, interactionList).detail);
  }
  return z.NEVER;
});

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Detects duplicate member names: fewer members are parsed than written. */
function namesTwice(text: string, value: unknown): boolean {
  return membersIn(text) !== membersIn(JSON.stringify(value));
}

/** Counts the members in JSON text: strings followed by a colon. */
function membersIn(json: string): number {
  const strings = json.matchAll(/"(?:[^"\\]|\\.)*"\s*(?<colon>:)?/g);
  return Array.from(strings).filter(({ groups }) => groups?.['colon'] !== undefined).length;
}
