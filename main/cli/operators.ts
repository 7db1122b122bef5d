import { randomBytes } from 'node:crypto';
import { operatorRoles } from '../../domain/operator/capabilities.ts';
import { withService } from './openService.ts';
import { operatorOptions } from './settingOptions.ts';
import { say } from './say.ts';

/** Adds an operator; prints the initial password once. */
export async function add(email: string, options: object): Promise<void> {
  const wanted = operatorOptions.read(options);
  const role = operatorRoles.find((each) => each === wanted.role.toUpperCase());
  if (role === undefined) throw new Error(`--role must be one of ${operatorRoles.join(', ')}.`);
  const password = newPassword();
  await withService(async ({ operators }) => {
    await operators.add({ ...wanted, email, role, password, mustChangePassword: true });
    say(`Added ${email} as ${role}. First password, shown only now: ${password}`);
  });
}

/** Resets password and authenticator of an operator who lost them. */
export async function reset(email: string): Promise<void> {
  const password = newPassword();
  await withService(async ({ operators }) => {
    await operators.reset(email, password);
    say(`First password of ${email}, shown only now: ${password}`);
  });
}

/** Ends the access of an operator for good. */
export async function deactivate(email: string): Promise<void> {
  await withService(async ({ operators }) => {
    await operators.deactivate(email);
    say(`Deactivated ${email}.`);
  });
}

/** Lists operators, deactivated ones included. */
export async function list(): Promise<void> {
  await withService(async ({ operators }) => {
    for (const { operatorId, email, role, active, secondFactor } of await operators.list()) {
      const ready = secondFactor === null ? 'no authenticator yet' : 'active';
      const state = active ? ready : 'deactivated';
      say([operatorId, role, email, state].join('\t'));
    }
  });
}

function newPassword(): string {
  return randomBytes(12).toString('base64url');
}
