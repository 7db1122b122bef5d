import { z } from 'zod';

/** One setting. */
export interface Setting<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly description: string;
  /** Never shown; may also be read from the file that `<NAME>_FILE` names. */
  readonly secret: boolean;
  /** The default as documented. */
  readonly shown: string;
}

/** @param shown the default as documented */
export function setting<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  shown = '',
): Setting<Schema> {
  return { schema, description, shown, secret: false };
}

/** Declares a setting that is never shown; otherwise as `setting`. */
export function secret<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  shown = '',
): Setting<Schema> {
  return { schema, description, shown, secret: true };
}

export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
/** IP addresses and CIDR blocks; one that holds every address is refused. */
export const addressBlockList = list.pipe(
  z.array(
    z
      .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'must be IP addresses or CIDR blocks')
      .refine((block) => !block.endsWith('/0'), 'must not hold every address (/0)'),
  ),
);
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
export const url = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''));

const onThisMachine = new Set(['localhost', '127.0.0.1', '[::1]']);

/** True unless the connection to this address leaves the machine unencrypted. */
export function isSecure(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || onThisMachine.has(hostname);
}

export const secureUrl = z
  .url({ protocol: /^https?$/ })
  .refine(isSecure, 'must be https beyond this machine');
export const objectIdentifier = z
  .string()
  .regex(/^[0-2](\.(0|[1-9]\d*)){2,}$/, 'must be a dotted object identifier');
export const count = (minimum: number, maximum: number) =>
  z.coerce.number().int().min(minimum).max(maximum);
