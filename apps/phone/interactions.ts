/** Interaction requested by a relying party. */
export interface Interaction {
  readonly type: string;
  readonly displayText60?: string;
  readonly displayText200?: string;
}

/** Interaction selected by the phone. */
export interface ShownInteraction {
  readonly type: string;
  readonly text: string;
}

/** Types of interaction this phone supports. */
export const supportedInteractions: readonly string[] = [
  'displayTextAndPIN',
  'confirmationMessage',
  'confirmationMessageAndVerificationCodeChoice',
];

/** First supported interaction in the relying party's order; null when none is supported. */
export function pickInteraction(
  offered: readonly Interaction[],
  supported: readonly string[],
): ShownInteraction | null {
  const picked = offered.find(({ type }) => supported.includes(type));
  if (picked === undefined) return null;
  return { type: picked.type, text: picked.displayText200 ?? picked.displayText60 ?? '' };
}

/** True when the citizen must pick the right code among others. */
export function asksForCodeChoice(interaction: ShownInteraction | null): boolean {
  return interaction?.type === 'confirmationMessageAndVerificationCodeChoice';
}

/** Codes to choose from, in ascending order: the right one and two others of its length. */
export function codeChoice(code: string): readonly string[] {
  const choice = new Set([code]);
  while (choice.size < 3) {
    const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
    choice.add(String(random % 10 ** code.length).padStart(code.length, '0'));
  }
  return [...choice].sort();
}

/**
 * Removes control and bidirectional characters from a relying party's text, which must not move a
 * terminal's cursor or reverse the text.
 */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, ' ');
}
