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
    `Break-glass key of the operator API (\`X-Admin-Key\`): a SUPER_ADMIN; ${SHORTEST_KEY} characters or more, random. Development without it: everybody on this machine is.`,
    'none',
  ),
  SVC_ADMIN_TOKEN_SECRET: secret(
    z.string().min(16).max(512).optional(),
    "Key of operators' session tokens, the same for all processes; 16 characters or more.",
    'operators cannot sign in',
  ),
  SVC_ADMIN_SEED_EMAIL: setting(
    z.email().optional(),
    'First operator, added at the start unless somebody has this e-mail already.',
    'none',
  ),
  SVC_ADMIN_SEED_PASSWORD: secret(
    z.string().min(8).max(256).optional(),
    'Their first password, 8 characters or more; it must be changed at the first sign-in.',
  ),
  SVC_ADMIN_SEED_ROLE: setting(z.enum(operatorRoles).default('SUPER_ADMIN'), 'Their role.'),
  SVC_ADMIN_ATTEMPTS_PER_ADDRESS: setting(
    count(1, 100_000_000).default(30),
    'Failed attempts to sign in one address may make in 15 minutes.',
  ),
  SVC_ADMIN_PASSWORD_COST: setting(
    count(4, 20).default(owaspCost.ln),
    "Binary logarithm of scrypt's N for operators' passwords, with r = 8 and p = 3; in production 15 or more.",
  ),
  SVC_AUDIT_TREE_HEAD_MINUTES: setting(
    count(1, 1440).default(10),
    'Minutes after which a new head of the audit tree is signed, if events were added.',
  ),
  SVC_ADMIN_REQUIRE_4EYES: setting(
    flag.default(false),
    'A second operator approves: revoking certificates; deactivating devices and OpenID clients; registering, deactivating and reactivating relying parties, and giving them another name, what lets them act upon organizations, or another address for events; registering OpenID clients, and editing them but for taking entries away, the life of access tokens, addresses after a logout, and the algorithm and claims of ID tokens; skipping events that cannot be projected; importing registers; roles that can approve. Another SUPER_ADMIN approves taking an approver away.',
  ),
  SVC_ADMIN_4EYES_COMMANDS: setting(
    list
      .pipe(z.array(z.enum([...reviewedWhenNamed, 'none'])))
      .transform((names) => names.filter((name) => name !== 'none'))
      .default(['person.forget']),
    `Further commands that need it then, of ${reviewedWhenNamed.map((name) => `\`${name}\``).join(', ')}; \`none\`: no other.`,
  ),
  SVC_ADMIN_APPROVAL_SECONDS: setting(
    count(1, 2_592_000).default(86_400),
    'Seconds a request for approval may be decided about, and an approved new secret be collected.',
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
        `${name}: could be guessed; make a random one, for example with \`openssl rand -base64 24\``,
    );
  if (Number(config.SVC_ADMIN_PASSWORD_COST) < owaspCost.ln) {
    faults.push(`SVC_ADMIN_PASSWORD_COST: must be ${owaspCost.ln} or more in production`);
  }
  return faults;
}
