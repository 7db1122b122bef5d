import { z } from 'zod';
import { phoneReasons } from '../../application/device/refuseSession.ts';
import { devicePins, devicePlatforms } from '../../domain/device/events.ts';
import { flowTypes } from '../../domain/session/events.ts';

// Request schemas of the device API. Size limits are generous upper bounds of valid values.

const base64 = (maxLength: number) =>
  z
    .base64()
    .min(1)
    .max(maxLength)
    .transform((text) => Buffer.from(text, 'base64'));

/** Longest long poll of the inbox, ms. */
const MAX_WAIT = 120_000;
const DEFAULT_WAIT = 30_000;
/** Most sessions a phone can report as seen. */
const MAX_SEEN = 20;

export const sessionPath = z.object({ sessionId: z.uuid().toLowerCase() });

export const noticePath = z.object({ noticeId: z.uuid().toLowerCase() });

/** Signature with PIN1 over what is to be ended. */
export const disownBody = z.object({ signature: base64(1024) });

export const pinPath = z.object({ pin: z.enum(devicePins) });

export const inboxQuery = z.object({
  timeoutMs: z.coerce
    .number()
    .int()
    .default(DEFAULT_WAIT)
    .transform((wanted) => Math.min(Math.max(wanted, 0), MAX_WAIT)),
  seen: z
    .string()
    .max(MAX_SEEN * 37)
    .default('')
    .transform((text) => text.split(',').filter((id) => id !== '')),
});

const key = z.object({ publicKey: base64(1200), proof: base64(1024) });

export const enrolmentBody = z.object({
  enrolmentToken: z.string().min(1).max(100),
  platform: z.enum(devicePlatforms),
  pushToken: z.string().min(1).max(512).nullable().default(null),
  certificateLevel: z.enum(['ADVANCED', 'QUALIFIED']).default('QUALIFIED'),
  keys: z.object({ authentication: key, signing: key, transport: key }),
});

/** A signed device link, as scanned. */
export const linkBody = z.object({ link: z.string().min(1).max(2048) });

export const confirmBody = z.object({
  verificationCode: z.string().regex(/^\d{4,5}$/),
  signature: base64(1024),
  interactionTypeUsed: z.string().min(1).max(64),
  flowType: z.enum(flowTypes).nullable().default(null),
  userChallenge: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'Must be base64url of 32 bytes.')
    .nullable()
    .default(null),
});

export const refuseBody = z.object({
  reason: z.enum(phoneReasons),
  interaction: z.string().min(1).max(64).nullable().default(null),
});
