import { z } from 'zod';
import { reviewedWhenNamed } from '../../domain/approval/events.ts';
import { operatorRoles } from '../../domain/operator/capabilities.ts';
import { owaspCost } from '../credentials/scryptPasswords.ts';
import { count, flag, list, secret, setting } from './settings.ts';

/** Characters of the break-glass key, at least. */
const SHORTEST_KEY = 20;
/** Bits of secrets that cannot be guessed, at least. */
const leastEntropy = { SVC_ADMIN_API_KEY: 64, SVC_ADMIN_TOKEN_SECRET: 48 } as const;

/** Settings of the operator API. */
export const operatorSettings = {
  SVC_ADMIN_API_KEY: secret(
    z.string().min(SHORTEST_KEY).max(512).optional(),
    `Break-glass key of the operator API (\`X-Admin-Key\`), which acts as SUPER_ADMIN: ${SHORTEST_KEY} or more random characters. In development without it, every caller on this machine acts as SUPER_ADMIN.`,
    'none',
  ),
  SVC_ADMIN_TOKEN_SECRET: secret(
    z.string().min(16).max(512).optional(),
    "Key of operators' session tokens: 16 characters or more, the same for all processes.",
    'operators cannot sign in',
  ),
  SVC_ADMIN_SEED_EMAIL: setting(
    z.email().optional(),
    'E-mail of the first operator, who is added at the start unless an operator with it exists.',
    'none',
  ),
  SVC_ADMIN_SEED_PASSWORD: secret(
    z.string().min(8).max(256).optional(),
    'Initial password of that operator, 8 characters or more; it must be changed at the first sign-in.',
  ),
  SVC_ADMIN_SEED_ROLE: setting(
    z.enum(operatorRoles).default('SUPER_ADMIN'),
    'Role of that operator.',
  ),
  SVC_ADMIN_ATTEMPTS_PER_ADDRESS: setting(
    count(1, 100_000_000).default(30),
    'Failed sign-in attempts that one address may make in 15 minutes.',
  ),
  SVC_ADMIN_PASSWORD_COST: setting(
    count(4, 20).default(owaspCost.ln),
    "Binary logarithm of scrypt's N for operators' passwords, with r = 8 and p = 3; 15 or more in production.",
  ),
  SVC_AUDIT_TREE_HEAD_MINUTES: setting(
    count(1, 1440).default(10),
    'Interval at which a new head of the audit tree is signed if events were added, in minutes.',
  ),
  SVC_ADMIN_REQUIRE_4EYES: setting(
    flag.default(false),
    'Commands that a second operator has to approve. Certificates: revoking. Devices: deactivating. Relying parties: registering, deactivating and reactivating; changing the name or the rights over organizations; adding an address for events. OpenID clients: registering, deactivating and editing, except removing entries and changing the lifetime of access tokens, the addresses after a logout, or the algorithm and claims of ID tokens. Also: skipping events that cannot be projected, importing registers, and granting roles that can approve. Removing an approver needs another SUPER_ADMIN.',
  ),
  SVC_ADMIN_4EYES_COMMANDS: setting(
    list
      .pipe(z.array(z.enum([...reviewedWhenNamed, 'none'])))
      .transform((names) => names.filter((name) => name !== 'none'))
      .default(['person.forget']),
    `Further commands that then need a second operator. Choose from ${reviewedWhenNamed.map((name) => `\`${name}\``).join(', ')}; \`none\` means no others.`,
  ),
  SVC_ADMIN_APPROVAL_SECONDS: setting(
    count(1, 2_592_000).default(86_400),
    'Time in which a request for approval can be decided and an approved new secret can be collected, in seconds.',
  ),
} as const;

/** Bits of a secret whose characters are chosen at random among those that occur in it. */
const entropyAtMost = (secret: string): number => secret.length * Math.log2(new Set(secret).size);

/** Settings refused in production. @returns faults by name */
export function unsafeOperatorSettings(
  config: Readonly<Partial<Record<keyof typeof operatorSettings, unknown>>>,
): readonly string[] {
  const faults = (['SVC_ADMIN_API_KEY', 'SVC_ADMIN_TOKEN_SECRET'] as const)
    .filter((name) => {
      const value = config[name];
      return typeof value === 'string' && entropyAtMost(value) < leastEntropy[name];
    })
    .map(
      (name) =>
        `${name}: can be guessed; generate a random one, for example with \`openssl rand -base64 24\``,
    );
  if (Number(config.SVC_ADMIN_PASSWORD_COST) < owaspCost.ln) {
    faults.push(`SVC_ADMIN_PASSWORD_COST: must be ${owaspCost.ln} or more in production`);
  }
  return faults;
}
