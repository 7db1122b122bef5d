import { ConfigurationError } from './errors.ts';
import { isObject } from './json.ts';
import { riskSignalNames } from './riskSignals.ts';

/**
 * Checks a value as callers without types may pass it.
 *
 * @param name of the argument, for the error
 * @throws ConfigurationError that names the argument and says what it must be
 */
export type Check = (value: unknown, name: string) => void;

/** An argument of a call: its name and check. */
export type Argument = readonly [name: string, check: Check];

/** Longest time a timer of Node.js takes, ms. */
const MOST_MS = 2_147_483_647;

export const text: Check = (value, name) => {
  if (typeof value !== 'string') throw wrong(name, 'a text', value);
  if (value === '') throw new ConfigurationError(`${name} is empty.`);
};

/** A text of 1 to `most` characters, counted by code points, as the service counts. */
export const textUpTo =
  (most: number): Check =>
  (value, name) => {
    text(value, name);
    const { length } = Array.from(value as string);
    if (length > most) {
      throw new ConfigurationError(`${name} has ${length} characters; it may have ${most}.`);
    }
  };

/** Name of a file: at most 120 characters, without a path. */
export const fileName: Check = (value, name) => {
  textUpTo(120)(value, name);
  if (/[/\\]/.test(value as string)) {
    throw new ConfigurationError(`${name} must be a file name without a path.`);
  }
};

export const anyText: Check = (value, name) => {
  if (typeof value !== 'string') throw wrong(name, 'a text', value);
};

/** Standard base64 with padding (RFC 4648 §4), of at least one byte. */
const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=|[A-Za-z\d+/]{4})$/;

/** A digest; an object in its place is most often the session, which belongs among the expectations. */
export const digest: Check = (value, name) => {
  if (isObject(value) && ('sessionId' in value || 'request' in value)) {
    throw new ConfigurationError(
      `${name} must be the digest, base64; a session of the second generation goes into { session }, the argument behind it.`,
    );
  }
  anyText(value, name);
};

/** A digest to be sent. */
export const sentDigest: Check = (value, name) => {
  digest(value, name);
  if (!BASE64.test(value as string)) {
    throw new ConfigurationError(`${name} must be standard base64 with padding.`);
  }
};

export const milliseconds: Check = (value, name) => {
  if (typeof value === 'number' && value >= 0 && value <= MOST_MS) return;
  throw wrong(name, `a number of milliseconds from 0 to ${MOST_MS}`, value);
};

/** A time to wait in several steps, which may be without end. */
const patience: Check = (value, name) => {
  if (typeof value !== 'number' || !(value >= 0)) {
    throw wrong(name, 'a number of milliseconds from 0', value);
  }
};

export const count: Check = (value, name) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw wrong(name, 'a whole number from 0', value);
  }
};

/** A whole number of bytes of randomness. */
export const challengeBytes: Check = (value, name) => {
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > 1024) {
    throw wrong(name, 'a whole number of bytes from 1 to 1024', value);
  }
};

export const bytes: Check = (value, name) => {
  if (!(value instanceof Uint8Array)) throw wrong(name, 'bytes, a Uint8Array or Buffer', value);
};

export const textOrBytes: Check = (value, name) => {
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) {
    throw wrong(name, 'a text or bytes', value);
  }
};

export const time: Check = (value, name) => {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) {
    throw wrong(name, 'a valid Date', value);
  }
};

export const callable: Check = (value, name) => {
  if (typeof value !== 'function') throw wrong(name, 'a function', value);
};

export const flag: Check = (value, name) => {
  if (typeof value !== 'boolean') throw wrong(name, 'true or false', value);
};

const signal: Check = (value, name) => {
  if (!(value instanceof AbortSignal)) throw wrong(name, 'an AbortSignal', value);
};

export const oneOf =
  (...values: readonly string[]): Check =>
  (value, name) => {
    if (!values.some((each) => each === value)) {
      throw wrong(name, values.map((each) => `"${each}"`).join(' or '), value);
    }
  };

export const listOf =
  (check: Check): Check =>
  (value, name) => {
    if (!Array.isArray(value)) throw wrong(name, 'an array', value);
    for (const [index, each] of value.entries()) check(each, `${name}[${index}]`);
  };

export const optional =
  (check: Check): Check =>
  (value, name) => {
    if (value !== undefined) check(value, name);
  };

/** An object whose fields pass their checks; further fields are let through. */
export const objectWith =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, name) => {
    if (!isObject(value)) throw wrong(name, 'an object', value);
    for (const [field, check] of Object.entries(fields)) check(value[field], `${name}.${field}`);
  };

/** An object of these fields and no other, which a caller without types may have misspelt. */
const exactly =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, name) => {
    objectWith(fields)(value, name);
    for (const [field, given] of Object.entries(value as object)) {
      if (given === undefined || Object.hasOwn(fields, field)) continue;
      throw new ConfigurationError(`${name}.${field} is no option. Check its spelling.`);
    }
  };

const shownTexts = { displayText60: 60, displayText200: 200 } as const;

/**
 * A text to show, or interactions: one of the two texts in each. Lengths are by code points, as the service counts.
 */
export const interactions: Check = (value, name) => {
  if (typeof value === 'string') {
    textUpTo(shownTexts.displayText200)(value, name);
    return;
  }
  if (!Array.isArray(value) || value.length === 0) {
    throw wrong(name, 'a text, or an array of at least one interaction', value);
  }
  for (const [index, interaction] of value.entries()) {
    const place = `${name}[${index}]`;
    objectWith({
      type: oneOf(
        'displayTextAndPIN',
        'confirmationMessage',
        'confirmationMessageAndVerificationCodeChoice',
      ),
    })(interaction, place);
    const shown = interaction as Readonly<Record<string, unknown>>;
    const field = shown['type'] === 'displayTextAndPIN' ? 'displayText60' : 'displayText200';
    textUpTo(shownTexts[field])(shown[field], `${place}.${field}`);
  }
};

const hashes = ['SHA-256', 'SHA-384', 'SHA-512', 'SHA3-256', 'SHA3-384', 'SHA3-512'];

/** Checks of values that mean the same wherever they are given. */
export const generation = oneOf('G1', 'G2');
export const requestedLevel = oneOf('ADVANCED', 'QUALIFIED');
export const hashType = oneOf('SHA256', 'SHA384', 'SHA512');

/** True for all signals, or a list of names. */
const signals: Check = (value, name) => {
  if (value === true) return;
  listOf(oneOf(...riskSignalNames))(value, name);
  if ((value as readonly unknown[]).length === 0) throw wrong(name, 'true or some names', value);
};

/** Options of all calls: one of a name means the same in each. */
export const options: Check = optional(
  exactly({
    signal: optional(signal),
    timeoutMs: optional(milliseconds),
    maxWaitMs: optional(patience),
    onChange: optional(callable),
    serverPollMs: optional(milliseconds),
    limit: optional(count),
    offset: optional(count),
    flow: optional(oneOf('AUTHENTICATION', 'SIGNATURE')),
    certificateLevel: optional(requestedLevel),
    callbackUrl: optional(text),
    onBehalfOf: optional(textUpTo(120)),
    riskSignals: optional(signals),
    riskSignalsRequired: optional(flag),
    subsystem: optional(textUpTo(120)),
    generation: optional(generation),
    signatureAlgorithm: optional(
      oneOf(
        'rsassa-pss',
        'sha256WithRSAEncryption',
        'sha384WithRSAEncryption',
        'sha512WithRSAEncryption',
      ),
    ),
    hashAlgorithm: optional(oneOf(...hashes)),
    hashType: optional(hashType),
    verificationCodeType: optional(oneOf('alphaNumeric4', 'alphaNumeric5', 'numeric4')),
    snapshot: optional(text),
    nonce: optional(textUpTo(30)),
    fileName: optional(fileName),
  }),
);

const absent: Check = (value, name) => {
  if (value !== undefined) throw new ConfigurationError(`${name} is no option of this call.`);
};

/** Options of calls that ask no phone to confirm with a PIN. */
export const unconfirmedOptions: Check = (value, name) => {
  options(value, name);
  optional(objectWith({ riskSignals: absent, riskSignalsRequired: absent }))(value, name);
};

/** Checks the arguments of one call. @throws ConfigurationError */
export function checkArguments(
  call: string,
  declared: readonly Argument[],
  given: readonly unknown[],
): void {
  for (const [index, [name, check]] of declared.entries()) check(given[index], `${call}: ${name}`);
}

/** The arguments of every call of a part of the client. */
export type Declared<Part> = { readonly [Call in keyof Part]: readonly Argument[] };

/** Checks arguments before each call, which rejects when one is wrong. */
export function withCheckedArguments<Part extends object>(
  name: string,
  part: Part,
  declared: Declared<Part>,
): Part {
  const calls = Object.entries<readonly Argument[]>(declared).map(([call, parameters]) => {
    const made = part[call as keyof Part] as (...given: readonly unknown[]) => Promise<unknown>;
    const checked = async (...given: readonly unknown[]) => {
      checkArguments(`${name}.${call}`, parameters, given);
      return made(...given);
    };
    return [call, checked] as const;
  });
  return Object.fromEntries(calls) as Part;
}

/** Describes the value by its type alone: it may be personal or secret. */
function wrong(name: string, wanted: string, value: unknown): ConfigurationError {
  return new ConfigurationError(`${name} must be ${wanted}, but ${described(value)}.`);
}

function described(value: unknown): string {
  if (value === undefined || value === null) return 'is missing';
  if (Array.isArray(value)) return value.length === 0 ? 'is an empty array' : 'is an array';
  if (typeof value === 'number') return `is ${value}`;
  if (typeof value === 'string') return 'is another text';
  return typeof value === 'object' ? 'is an object' : `is a ${typeof value}`;
}
