import { textUpTo } from './arguments.ts';
import type { Generation, Interaction, SentRequest, Shown } from './types.ts';

/** Code points that a text beside the PIN may have. */
const SHORT = 60;

const question = textUpTo(200);
const beside = textUpTo(SHORT);

/**
 * Interactions of a push: the phone offers three codes, and the citizen chooses the one that your page shows, so that
 * nobody confirms out of habit what somebody else began. A phone that cannot offer codes shows the text beside the PIN,
 * where it is short enough for that. They are of the second generation, and those that a push has for a text alone.
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
  return isShort(text) ? [choice, { type: 'displayTextAndPIN', displayText60: text }] : [choice];
}

/** Interactions of a request, and the generation that has them. */
export interface Asked {
  readonly interactions: readonly Interaction[];
  readonly generation: Generation;
}

/** Generations that a caller named. */
export interface NamedGenerations {
  /** Option of the call. */
  readonly ofCall: Generation | undefined;
  /** Setting of the client. */
  readonly ofClient: Generation | undefined;
}

/**
 * Picks the interactions of a text: those of the second generation, in which the citizen of a push chooses the code,
 * unless the caller named the first. Interactions that the caller picked stay as they are, in the generation that has
 * them; `displayTextAndPIN` alone is sent as it was before there was a second.
 *
 * @throws ConfigurationError for a text too long for the first generation
 */
export function askedOn(
  flow: SentRequest['flow'],
  shown: Shown,
  { ofCall, ofClient }: NamedGenerations,
): Asked {
  if (typeof shown !== 'string') {
    const isNested = shown.some(({ type }) => type !== 'displayTextAndPIN');
    return { interactions: shown, generation: ofCall ?? (isNested ? 'G2' : (ofClient ?? 'G1')) };
  }
  const generation = ofCall ?? ofClient ?? 'G2';
  if (generation === 'G1') beside(shown, 'interactions: the text of the first generation');
  const isPlain = generation === 'G1' || (flow !== 'notification' && isShort(shown));
  if (isPlain) {
    return { generation, interactions: [{ type: 'displayTextAndPIN', displayText60: shown }] };
  }
  return {
    generation,
    // A link shows no code beside others: it is opened at the browser itself.
    interactions:
      flow === 'notification'
        ? chooseCode(shown)
        : [{ type: 'confirmationMessage', displayText200: shown }],
  };
}

function isShort(text: string): boolean {
  return Array.from(text).length <= SHORT;
}
