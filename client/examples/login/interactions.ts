/** Texts that the citizen is shown: the phone offers three codes, and the citizen chooses the page's. */
export const interactions = [
  { type: 'confirmationMessageAndVerificationCodeChoice', displayText200: 'Log in to the shop' },
  { type: 'displayTextAndPIN', displayText60: 'Log in to the shop' },
] as const;
