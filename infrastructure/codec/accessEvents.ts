import { z } from 'zod';
import { optionalText, text } from './eventParts.ts';

/** The catalog's rows of facts that guard nothing. */
export const accessEvents = {
  RightsLookedUp: {
    version: 1,
    shape: { civilId: optionalText, registers: z.array(text), lookedUpAt: text },
  },
  OnBehalfAccepted: {
    version: 1,
    shape: { register: text, civilId: text, sessionId: text, checkedAt: text },
  },
  OnBehalfDenied: {
    version: 1,
    shape: { register: text, civilId: text, code: text, checkedAt: text },
  },
  CommandDenied: {
    version: 1,
    shape: {
      operation: text,
      code: text,
      capability: optionalText,
      subject: optionalText,
      count: z.number(),
      since: text,
      deniedAt: text,
    },
  },
  OperatorRead: {
    version: 1,
    shape: { operation: text, capability: optionalText, subject: optionalText, readAt: text },
  },
  PersonForgotten: { version: 1, shape: { civilId: text, forgottenAt: text } },
} as const;
