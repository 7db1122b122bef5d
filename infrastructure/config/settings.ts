import { z } from 'zod';
import {
  isLoopback,
  readAddressBlock,
  readHost,
  readHostAndPort,
  writeHostAndPort,
} from '../../domain/shared/hosts.ts';

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
    z.string().transform((text, context) => {
      const read = readAddressBlock(text);
      if ('block' in read) return read.block;
      context.addIssue({ code: 'custom', message: read.fault });
      return z.NEVER;
    }),
  ),
);
/** A host of this machine to listen on: an address, or a name, without a port. */
export const listenHost = z.string().transform((text, context) => {
  const host = readHost(text);
  if (host !== null) return host;
  context.addIssue({
    code: 'custom',
    message: 'must be an IP address or a host name, without a port or zone',
  });
  return z.NEVER;
});
/** A host as browsers send it, with the port where it is none of the usual. */
export const hostWithPort = z.string().transform((text, context) => {
  const read = readHostAndPort(text);
  if (read !== null) return writeHostAndPort(read.host, read.port);
  context.addIssue({ code: 'custom', message: `${text} is no host, such as id.example.mn:8443` });
  return z.NEVER;
});
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
export const url = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''));

/** True unless the connection to this address leaves the machine unencrypted. */
export function isSecure(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || isLoopback(hostname);
}

export const secureUrl = z
  .url({ protocol: /^https?$/ })
  .refine(isSecure, 'must be https beyond this machine');
export const objectIdentifier = z
  .string()
  .regex(/^[0-2](\.(0|[1-9]\d*)){2,}$/, 'must be a dotted object identifier');
export const count = (minimum: number, maximum: number) =>
  z.coerce.number().int().min(minimum).max(maximum);
