import { z } from 'zod';
import { url } from './addresses.ts';
import { count, flag, secret, setting } from './settings.ts';

/** Settings of the directory of persons and organizations. */
export const directorySettings = {
  SVC_DIRECTORY: setting(
    z.enum(['embedded', 'off']).default('embedded'),
    'Where the directory looks persons and organizations up: `embedded`, the registers this installation holds, or `off`, nowhere: 503. `SVC_DIRECTORY_URL` takes its place.',
  ),
  SVC_DIRECTORY_URL: setting(
    url.optional(),
    'Registry service that is asked instead: `GET <url>/person?reg_no=` and `GET <url>/organisation?reg_no=`.',
  ),
  SVC_DIRECTORY_TOKEN: secret(z.string().optional(), 'Bearer token for the registry service.'),
  SVC_DIRECTORY_TIMEOUT: setting(
    count(1, 60).default(5),
    'Seconds the registry service has to answer.',
  ),
  SVC_DIRECTORY_REQUESTS_PER_MINUTE: setting(
    count(1, 100_000_000).default(120),
    'Look-ups in the directory one address may send a minute.',
  ),
  SVC_ORG_LINK_UNLISTED: setting(
    flag.optional(),
    'Relying parties link affiliates by their own excerpt where the directory does not say whose an organization is.',
    'development: true, otherwise false',
  ),
  SVC_ORG_LINKS_PER_MINUTE: setting(
    count(1, 100_000_000).default(60),
    'Changes of rights to represent organizations that one relying party may ask for a minute: links, signers, names.',
  ),
} as const;

/** Says whether a relying party's statement links a person whom the directory does not know; default: in development only. */
export function linksUnlisted({
  SVC_PROFILE: profile,
  SVC_ORG_LINK_UNLISTED: wanted,
}: {
  readonly SVC_PROFILE: string;
  readonly SVC_ORG_LINK_UNLISTED: boolean | undefined;
}): boolean {
  return wanted ?? profile === 'development';
}

/** Faults of production: the registry service receives registration numbers and the token, never unencrypted. */
export function unsafeDirectorySettings({
  SVC_DIRECTORY_URL: address,
}: {
  readonly SVC_DIRECTORY_URL?: string | undefined;
}): readonly string[] {
  return address?.startsWith('http://') === true
    ? ['SVC_DIRECTORY_URL: must be https in production']
    : [];
}
