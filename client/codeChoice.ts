import { textUpTo } from './arguments.ts';
import type { Generation, Interaction } from './types.ts';

/** Code points that a text beside the PIN may have. */
const SHORT = 60;

const question = textUpTo(200);

/**
 * Interactions of a push: the phone offers three codes, and the citizen chooses the one that your page shows, so that
 * nobody confirms out of habit what somebody else began. A phone that cannot offer codes shows the text beside the PIN,
 * where it is short enough for that. They are of the second generation.
 *
 * @param text what is asked, at most 200 code points
 * @throws ConfigurationError for a text that is none, or too long
 */
export function chooseCode(text: string): readonly Interaction[] {
  question(text, 'the text of chooseCode');
  const choice = {
    type: 'confirmationMessageAndVerificationCodeChoice',
    displayText200: text,
  } as const;
  return Array.from(text).length > SHORT
    ? [choice]
    : [choice, { type: 'displayTextAndPIN', displayText60: text }];
}

/** Generation of a request for which none was named: the second one where the first has no such interaction. */
export function generationOf(
  interactions: readonly Interaction[],
  otherwise: Generation,
): Generation {
  return interactions.some(({ type }) => type !== 'displayTextAndPIN') ? 'G2' : otherwise;
}
