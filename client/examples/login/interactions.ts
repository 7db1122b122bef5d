/** Text that the citizen is shown. With a push the phone offers three codes, and the citizen chooses the page's. */
export const interactions = 'Log in to the shop';
