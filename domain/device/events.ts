import type { DomainEvent } from '../shared/decider.ts';

// Storage format: see domain/session/events.ts.

/** How a phone is reached (contract §9). */
export const devicePlatforms = ['APNS', 'FCM', 'SIM'] as const;

export type DevicePlatform = (typeof devicePlatforms)[number];

export type DeviceEnrolled = DomainEvent<
  'DeviceEnrolled',
  {
    /** Lower-case UUID. */
    readonly documentNumber: string;
    readonly civilId: string;
    readonly platform: DevicePlatform;
    /** Where a push gateway reaches it; null when the phone only polls its inbox. */
    readonly pushToken: string | null;
    /** SubjectPublicKeyInfo, base64 DER, of the key that signs every call's proof. */
    readonly transportKey: string;
    /** Serial of the PIN1 certificate, lower-case hexadecimal. */
    readonly authenticationSerial: string;
    /** Serial of the PIN2 certificate, lower-case hexadecimal. */
    readonly signingSerial: string;
    readonly enrolledAt: string;
  }
>;

export type DeviceDeactivated = DomainEvent<
  'DeviceDeactivated',
  {
    readonly documentNumber: string;
    /** RFC 5280 CRLReason number. */
    readonly reason: number;
    readonly deactivatedAt: string;
  }
>;

export type DeviceEvent = DeviceEnrolled | DeviceDeactivated;
