import { civilIdOf } from '../shared/etsi.ts';
import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { nullable, number, oneOf, text } from '../shared/eventFields.ts';

// Storage format: see domain/shared/defineEvents.ts.

/** Push platform of a phone (contract §9). */
export const devicePlatforms = ['APNS', 'FCM', 'SIM'] as const;

export type DevicePlatform = (typeof devicePlatforms)[number];

/** PINs of a phone: of the authentication key, of the signing key. */
export const devicePins = ['PIN1', 'PIN2'] as const;

export type DevicePin = (typeof devicePins)[number];

export const deviceEvents = defineEvents('device', {
  DeviceEnrolled: event({
    data: {
      /** Lower-case UUID. */
      documentNumber: text,
      civilId: text,
      platform: oneOf(devicePlatforms),
      /** Address at the push gateway; null when the phone only polls its inbox. */
      pushToken: nullable(text),
      /** SubjectPublicKeyInfo, base64 DER, of the key that signs every call's proof. */
      transportKey: text,
      /** Serial of the PIN1 certificate, lower-case hexadecimal. */
      authenticationSerial: text,
      /** Serial of the PIN2 certificate, lower-case hexadecimal. */
      signingSerial: text,
      enrolledAt: text,
    },
    audit: {
      type: 'DEVICE_ENROL',
      civilId: civilIdOf,
      details: ({ platform, authenticationSerial, signingSerial }) => ({
        platform,
        authenticationSerial,
        signingSerial,
      }),
    },
  }),

  /** A PIN was entered wrongly too often: its key can never be used again. The phone says so. */
  DevicePinLocked: event({
    data: {
      documentNumber: text,
      pin: oneOf(devicePins),
      lockedAt: text,
    },
    audit: {
      type: 'DEVICE_PIN_LOCK',
      isDenied: true,
      details: ({ pin }) => ({ pin }),
    },
  }),

  DeviceDeactivated: event({
    data: {
      documentNumber: text,
      /** RFC 5280 CRLReason number. */
      reason: number,
      deactivatedAt: text,
    },
    audit: {
      type: 'DEVICE_DEACTIVATE',
      capability: 'device:revoke',
      details: ({ reason }) => ({ reason }),
    },
  }),
});

export type DeviceEvent = EventOf<typeof deviceEvents>;
export type DeviceEnrolled = EventOf<typeof deviceEvents, 'DeviceEnrolled'>;
