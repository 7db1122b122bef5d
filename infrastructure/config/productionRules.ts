import { unsafeAssistantSettings } from './assistantSettings.ts';
import type { Config } from './configSettings.ts';
import { unsafeConnections } from './connectionSettings.ts';
import { isConsoleAlone } from './consoleSettings.ts';
import { unsafeDirectorySettings } from './directorySettings.ts';
import {
  identityProofing,
  unsafeIdentityVerificationSettings,
} from './identityVerificationSettings.ts';
import { unsafeObjectStores } from './objectStoreSettings.ts';
import { unsafeOidcSettings } from './oidcSettings.ts';
import { unsafeOperatorSettings } from './operatorSettings.ts';
import { unsafePushSettings } from './pushSettings.ts';
import { isSecure } from './addresses.ts';

const reasons = {
  SVC_DATABASE_URL: 'the embedded PostgreSQL is for development',
  SVC_SW_MASTER_KEY: 'a generated key would be lost with the machine',
  SVC_RP_API_BASE: 'answers carry this address',
  SVC_PKI_POLICY_ARC: 'the example arc belongs to nobody',
} as const;

const neededOutsideDevelopment = Object.keys(reasons) as readonly (keyof typeof reasons)[];

/** Faults for settings without a default outside development. */
export function missing(
  config: Config,
  names: readonly (keyof typeof reasons)[],
): readonly string[] {
  return names
    .filter((name) => config[name] === undefined)
    .map((name) => `${name}: required outside development: ${reasons[name]}`);
}

/** Settings allowed on a developer's machine and refused elsewhere, or in production. @returns faults by name */
export function unsafe(config: Config): readonly string[] {
  if (config.SVC_PROFILE === 'development' || isConsoleAlone(config)) return [];
  const faults = [...missing(config, neededOutsideDevelopment), ...unsafePushSettings(config)];
  return config.SVC_PROFILE === 'production' ? [...faults, ...unsafeInProduction(config)] : faults;
}

function unsafeInProduction(config: Config): readonly string[] {
  const faults: string[] = [];
  for (const name of ['SVC_RP_API_BASE', 'SVC_VERIFY_BASE', 'SVC_DEVICE_LINK_BASE'] as const) {
    if (config[name]?.startsWith('http://') === true) {
      faults.push(`${name}: must be https in production`);
    }
  }
  const { SVC_SW_MASTER_KEY: key, SVC_PUSH_GATEWAY_URL: gateway } = config;
  if (key?.every((byte) => byte === key[0]) === true) {
    faults.push('SVC_SW_MASTER_KEY: is not random');
  }
  if (gateway !== undefined && !isSecure(gateway)) {
    faults.push('SVC_PUSH_GATEWAY_URL: must be https in production');
  }
  return [
    ...faults,
    ...unsafeConnections(config),
    ...unsafeDirectorySettings(config),
    ...unsafeObjectStores(config),
    ...unsafeOperatorSettings(config),
    ...unsafeAssistantSettings(config),
    ...unsafeOidcSettings(config),
    ...unsafeIdentityVerificationSettings(config),
  ];
}

/** Remarks on what production allows and is seldom meant, by name. */
export function doubtful(config: Config): readonly string[] {
  if (config.SVC_PROFILE !== 'production' || isConsoleAlone(config)) return [];
  const remarks: string[] = [];
  const names = ['SVC_PKI_OPERATOR_NAME', 'SVC_DOCUMENT_SIGNING_NAME'] as const;
  for (const name of names) {
    if (config[name] === 'Tamga') {
      remarks.push(
        `${name}: is still the name of the program, which certificates or phones will show`,
      );
    }
  }
  if (config.SVC_PKI_OPERATOR_ETSI === 'NTRMN-0000000') {
    remarks.push(
      'SVC_PKI_OPERATOR_ETSI: is the example number, which the CA certificates would contain',
    );
  }
  if (!config.SVC_ADMIN_REQUIRE_4EYES) {
    remarks.push(
      'SVC_ADMIN_REQUIRE_4EYES: one operator alone can revoke certificates and assign roles',
    );
  }
  if (config.SVC_TRUSTED_PROXIES.length === 0) {
    remarks.push(
      'SVC_TRUSTED_PROXIES: names no proxy; behind a proxy, all callers have its address and share their limits',
    );
  }
  if (config.SVC_REDIS_URL === undefined && !config.SVC_SOLE_PROCESS) {
    remarks.push(
      'SVC_REDIS_URL: without it each process counts limits for itself; if there is only one process, set SVC_SOLE_PROCESS=true',
    );
  }
  return remarks;
}

/** Protections that a profile other than production leaves out, for the log of each start. */
export function openOutsideProduction(config: Config): readonly string[] {
  if (config.SVC_PROFILE === 'production' || isConsoleAlone(config)) return [];
  const open = [
    'the phone in the browser is served at /phone',
    'a server that can lose acknowledged data is a warning, not a refusal',
  ];
  if (identityProofing(config).citizenCard) {
    open.push('SVC_KYC_CITIZEN_CARD: a card number alone is enough to enrol a citizen');
  }
  if (!config.SVC_ADMIN_REQUIRE_4EYES) {
    open.push(
      'SVC_ADMIN_REQUIRE_4EYES: one operator alone can revoke certificates and assign roles',
    );
  }
  return [...open, ...unsafeInProduction(config)];
}
