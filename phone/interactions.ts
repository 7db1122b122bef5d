/** What a relying party asks to be shown. */
export interface Interaction {
  readonly type: string;
  readonly displayText60?: string;
  readonly displayText200?: string;
}

/** The interaction a phone has picked. */
export interface ShownInteraction {
  readonly type: string;
  readonly text: string;
}

/** Everything this phone can show. */
export const supportedInteractions: readonly string[] = [
  'displayTextAndPIN',
  'confirmationMessage',
  'confirmationMessageAndVerificationCodeChoice',
];

/** The first the phone can show, in the relying party's order; null when there is none. */
export function pickInteraction(
  offered: readonly Interaction[],
  supported: readonly string[],
): ShownInteraction | null {
  const picked = offered.find(({ type }) => supported.includes(type));
  if (picked === undefined) return null;
  return { type: picked.type, text: picked.displayText200 ?? picked.displayText60 ?? '' };
}

/** Whether the citizen must pick the right code among others. */
export function asksForCodeChoice(interaction: ShownInteraction | null): boolean {
  return interaction?.type === 'confirmationMessageAndVerificationCodeChoice';
}

/** The code among two others of its length, in ascending order. */
export function codeChoice(code: string): readonly string[] {
  const choice = new Set([code]);
  while (choice.size < 3) {
    const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
    choice.add(String(random % 10 ** code.length).padStart(code.length, '0'));
  }
  return [...choice].sort();
}

/** Relying parties write these texts: they must not move a terminal's cursor, nor turn the direction of the text. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, ' ');
}
