import { z } from 'zod';
import { count, flag, setting } from './settings.ts';

/** Settings of identity verification: which methods are active, and their limits. */
export const identityVerificationSettings = {
  SVC_KYC_REQUESTS_PER_MINUTE: setting(
    count(1, 100_000_000).default(60),
    'Identity verifications one address may start, and steps it may take in them, a minute.',
    '60',
  ),
  SVC_KYC_MINUTES: setting(
    count(1, 60).default(15),
    'Minutes an identity verification stays open.',
    '15',
  ),
  SVC_KYC_ATTEMPTS: setting(
    count(1, 20).default(5),
    'Attempts there are in one identity verification.',
    '5',
  ),
  SVC_KYC_CITIZEN_CARD: setting(
    flag.default(true),
    'Verify identities by the number of the identity card, against the civil registry.',
    'true',
  ),
  SVC_KYC_PASSPORT_CSCA: setting(
    z.string().optional(),
    'Path of the country signing authorities that passports must lead to: certificates as PEM, or a master list (ICAO Doc 9303-12). Set, identities are verified by passport.',
  ),
} as const;
