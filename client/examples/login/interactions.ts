import { chooseCode } from '@tamga/client';

/** Texts that the citizen is shown: the phone offers three codes, and the citizen chooses the page's. */
export const interactions = chooseCode('Log in to the shop');
