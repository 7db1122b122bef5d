import { z } from 'zod';
import { url } from './addresses.ts';
import { count, flag, secret, setting } from './settings.ts';

/** Settings of the directory of persons and organizations. */
export const directorySettings = {
  SVC_DIRECTORY: setting(
    z.enum(['embedded', 'off']).default('embedded'),
    'Where the directory looks up persons and organizations. `embedded`: in the registers of this installation. `off`: nowhere (503). `SVC_DIRECTORY_URL` overrides it.',
  ),
  SVC_DIRECTORY_URL: setting(
    url.optional(),
    'Registry service to ask instead: `GET <url>/person?reg_no=` and `GET <url>/organisation?reg_no=`.',
  ),
  SVC_DIRECTORY_TOKEN: secret(z.string().optional(), 'Bearer token for the registry service.'),
  SVC_DIRECTORY_TIMEOUT: setting(
    count(1, 60).default(5),
    'Timeout of the registry service, in seconds.',
  ),
  SVC_DIRECTORY_REQUESTS_PER_MINUTE: setting(
    count(1, 100_000_000).default(120),
    'Directory look-ups that one address may make per minute.',
  ),
  SVC_ORG_LINK_UNLISTED: setting(
    flag.optional(),
    'Let relying parties link affiliates by their own excerpt if the directory does not say who owns an organization.',
    'development: true, otherwise false',
  ),
  SVC_ORG_LINKS_PER_MINUTE: setting(
    count(1, 100_000_000).default(60),
    'Changes to the representation of organizations that one relying party may request per minute: links, signers, names.',
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
