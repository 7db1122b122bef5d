import { Argument, type Command, Option } from 'commander';
import { backchannelModes } from '../../domain/oidcClient/backchannel.ts';
import type { RegisterName } from '../../domain/registerImport/events.ts';
import { withApiOptions } from './apiOptions.ts';
import { relyingPartyOptions } from './relyingPartyOptions.ts';
import { organizationOptions } from './settingOptions.ts';
import type { ImportCommandOptions } from './registers.ts';

/**
 * Adds the commands about relying parties, clients of the OpenID Connect provider, organizations, and the registers of
 * persons and organizations.
 */
export function addPartyCommands(program: Command): void {
  const rp = program.command('rp').description('manage relying parties');
  relyingPartyOptions
    .addTo(rp.command('register'))
    .argument('<name>', 'shown to citizens; at most 32 bytes of UTF-8')
    .option(
      '--link',
      'hand the secret over by a link that opens once within 24 hours; the link is shown once instead',
    )
    .description('register a relying party; its API secret is shown once')
    .action(async (name: string, options: { readonly link?: boolean }) =>
      (await import('./relyingParties.ts')).register(name, options),
    );
  rp.command('rotate')
    .argument('<uuid>')
    .description('give a relying party a new API secret, shown once')
    .action(async (id: string) => (await import('./relyingParties.ts')).rotate(id));
  rp.command('deactivate')
    .argument('<uuid>')
    .description('deactivate a relying party: refuse all further calls')
    .action(async (id: string) => (await import('./relyingParties.ts')).deactivate(id));
  rp.command('allow-sealing')
    .argument('<uuid>')
    .argument('<register...>', 'registration numbers of organizations')
    .description('let a relying party seal for organizations; it also needs the permission SEAL')
    .action(async (id: string, registers: readonly string[]) =>
      (await import('./relyingParties.ts')).allowSealing(id, registers),
    );
  rp.command('withdraw-sealing')
    .argument('<uuid>')
    .argument('<register...>', 'registration numbers of organizations')
    .description('stop a relying party from sealing for organizations, at once')
    .action(async (id: string, registers: readonly string[]) =>
      (await import('./relyingParties.ts')).withdrawSealing(id, registers),
    );
  rp.command('set-names')
    .argument('<uuid>')
    .argument('[alias...]', 'all its aliases: names citizens know it by beside the registered one')
    .option('--other-names', 'admit any other name, shown after the registered one', false)
    .description('set the names a relying party may send as relyingPartyName')
    .action(async (id: string, aliases: readonly string[], options: object) =>
      (await import('./relyingParties.ts')).setNames(id, aliases, options),
    );
  rp.command('list')
    .description('list relying parties')
    .action(async () => (await import('./relyingParties.ts')).list());

  const oidc = program
    .command('oidc')
    .description('manage clients and keys of the OpenID Connect provider');
  withApiOptions(oidc.command('add'))
    .description('register a client of a relying party; shows its secret once')
    .argument('<relyingPartyUUID>')
    .argument('<name>', 'shown to citizens')
    .option(
      '--redirect-uri <uri...>',
      'exact redirect addresses: https, in development also http on this machine; not needed for an API, a device or a client without a browser',
      [],
    )
    .option('--name-en <name>', 'shown to citizens who read English')
    .option('--post-logout-redirect-uri <uri...>', 'addresses a logout may redirect to', [])
    .option('--backchannel-logout-uri <uri>', 'receives logout tokens')
    .option(
      '--auth-method <method>',
      'client_secret_basic, client_secret_post, private_key_jwt, self_signed_tls_client_auth or none',
      'client_secret_basic',
    )
    .option(
      '--jwks <file>',
      'its public keys, a JSON Web Key Set; with x5t#S256 for self_signed_tls_client_auth',
    )
    .option('--scope <scope...>', 'scopes that it may request', ['openid', 'profile', 'email'])
    .option('--sector <name>', 'clients of one sector get the same sub for a citizen')
    .option('--client-uri <uri>', 'its home page')
    .option('--organization <register>', 'the organization it belongs to')
    .option(
      '--id-token-alg <algorithm>',
      'algorithm of its ID tokens: ES256, RS256 (which Spring Security expects), PS256 or EdDSA',
      'ES256',
    )
    .option(
      '--security-profile <profile>',
      'standard, fapi2 or fapi2_message_signing; requests below it are refused',
      'standard',
    )
    .option('--device', 'logs people in on devices without a browser (RFC 8628)', false)
    .option(
      '--native',
      "an app on the citizen's device, without a secret; redirects to http://127.0.0.1 with any port or com.example.app:/path",
      false,
    )
    .addOption(
      new Option('--backchannel <mode>', 'asks citizens on their phones, without a browser (CIBA)')
        .choices(backchannelModes)
        .default('none'),
    )
    .option(
      '--backchannel-notification-uri <uri>',
      'address that is pinged, with --backchannel ping',
    )
    .option(
      '--authorization-details <type...>',
      'types of authorization details that it may request: payment_initiation',
      [],
    )
    .option('--no-pkce', 'lets a client that authenticates itself send a nonce instead of PKCE')
    .option(
      '--conform-id-token-claims',
      'gives the claims of scopes only at the UserInfo endpoint, not in ID tokens',
    )
    .option(
      '--link',
      'hand the secret over by a link that opens once within 24 hours; the link is shown once instead',
    )
    .action(async (party: string, name: string, options: object) =>
      (await import('./oidcClients.ts')).add(party, name, options),
    );
  oidc
    .command('list')
    .description('list clients')
    .action(async () => (await import('./oidcClients.ts')).list());
  oidc
    .command('rotate')
    .description('make a new secret; the old one stops working at once')
    .argument('<clientId>')
    .action(async (id: string) => (await import('./oidcClients.ts')).rotate(id));
  oidc
    .command('deactivate')
    .description('deactivate a client and end its tokens')
    .argument('<clientId>')
    .action(async (id: string) => (await import('./oidcClients.ts')).deactivate(id));
  oidc
    .command('reactivate')
    .description('reactivate a client')
    .argument('<clientId>')
    .action(async (id: string) => (await import('./oidcClients.ts')).reactivate(id));
  oidc
    .command('withdraw')
    .description("withdraw a citizen's consent to a client, at the citizen's request")
    .argument('<civilId>')
    .argument('<clientId>')
    .action(async (civilId: string, clientId: string) =>
      (await import('./oidcClients.ts')).withdraw(civilId, clientId),
    );
  oidc
    .command('rotate-keys')
    .description('publish the next signing key; it signs after SVC_OIDC_KEY_LEAD_HOURS')
    .option('--now', 'use it at once')
    .action(async (options: object) => (await import('./oidcClients.ts')).rotateKeys(options));

  const org = program
    .command('org')
    .description('manage organizations and the rights to represent them');
  organizationOptions
    .addTo(org.command('register'))
    .argument('<register>', 'national registration number')
    .argument('<name>')
    .option('--activate', 'ACTIVE at once instead of PENDING', false)
    .description('register an organization')
    .action(async (register: string, name: string, options: object) =>
      (await import('./organizations.ts')).register(register, name, options),
    );
  for (const [change, text] of [
    ['verify', 'PENDING becomes VERIFIED'],
    ['activate', 'VERIFIED becomes ACTIVE'],
    ['suspend', 'pause its seals and the rights to represent it'],
    ['restore', 'end the suspension of an organization'],
    ['revoke', 'permanently end an organization'],
  ] as const) {
    org
      .command(change)
      .argument('<register>')
      .description(text)
      .action(async (register: string) =>
        (await import('./organizations.ts')).changeStatus(register, change),
      );
  }
  org
    .command('seal-certificate')
    .argument('<register>')
    .description('issue the seal certificate of an organization; it supersedes the previous one')
    .action(async (register: string) =>
      (await import('./organizations.ts')).issueSealCertificate(register),
    );
  org
    .command('grant')
    .argument('<register>')
    .argument('<person>', 'civil id or registration number')
    .requiredOption('--right <type>', 'ADMIN or MANAGER')
    .option('--role <title>', 'title')
    .option('--evidence <reference>', 'the document that proves the right')
    .option('--valid-from <time>', 'ISO 8601; default now')
    .option('--valid-to <time>', 'ISO 8601; default: no end')
    .description('give a person the right to represent an organization')
    .action(async (register: string, person: string, options: object) =>
      (await import('./organizations.ts')).grant(register, person, options),
    );
  org
    .command('withdraw')
    .argument('<register>')
    .argument('<civilId>')
    .description('withdraw a right')
    .action(async (register: string, civilId: string) =>
      (await import('./organizations.ts')).withdraw(register, civilId),
    );
  org
    .command('list')
    .description('list organizations')
    .action(async () => (await import('./organizations.ts')).list());
  org
    .command('audit')
    .option('--subject <etsi>', 'about this organization or person')
    .option('--limit <count>', 'largest number of entries', Number, 100)
    .description('list audit entries of organizations, newest first')
    .action(async (options: { subject?: string; limit: number }) =>
      (await import('./organizations.ts')).audit(options),
    );

  program
    .command('registry')
    .description('import the registers of persons and of organizations')
    .command('import')
    .addArgument(new Argument('<register>').choices(['civil', 'organizations']))
    .argument('<file>', 'CSV or JSON Lines, in UTF-8 (docs/operations.md, Registers)')
    .addOption(
      new Option('--format <format>', 'default: by the file extension').choices(['csv', 'jsonl']),
    )
    .option('--dry-run', 'show what would be done without writing anything', false)
    .option('--json', 'print the report as JSON', false)
    .description('add and change the entries of a file; a run after an interruption does the rest')
    .action(async (register: RegisterName, file: string, options: ImportCommandOptions) => {
      process.exitCode = await (await import('./registers.ts')).importFile(register, file, options);
    });
}
