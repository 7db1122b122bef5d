import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import {
  loginChannels,
  type LoginTickets,
} from '../../application/openIdConnect/ports/loginTickets.ts';
import { decryptText, encryptText } from '../codec/encryption.ts';

const ticketSchema = z.strictObject({
  sessionId: z.uuid(),
  channel: z.enum(loginChannels),
  awaitedState: z.string().nullable(),
});

const LONGEST = 1000;

/**
 * Tickets encrypted for one interaction (AES-256-GCM): readable by every process of the installation, opaque to
 * browsers.
 */
export function createLoginTickets(key: KeyObject): LoginTickets {
  const contextOf = (uid: string) => Buffer.from(`login-ticket:${uid}`, 'utf8');
  return {
    encrypt: (uid, ticket) => {
      const encrypted = encryptText(key, contextOf(uid), JSON.stringify(ticket));
      return Buffer.from(encrypted, 'base64').toString('base64url');
    },
    decrypt: (uid, text) => {
      if (text.length > LONGEST) return null;
      try {
        const encrypted = Buffer.from(text, 'base64url').toString('base64');
        return ticketSchema.parse(JSON.parse(decryptText(key, contextOf(uid), encrypted)));
      } catch {
        return null;
      }
    },
  };
}
