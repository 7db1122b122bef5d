import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Overloaded } from '../../application/ports/faults.ts';
import type { PasswordHashing } from '../../application/operator/ports/passwordHashing.ts';

/** Cost of one hash: 128 · r · 2^ln bytes of memory, p times over. */
export interface ScryptCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB, three times: one of the equivalent settings of OWASP's Password Storage Cheat Sheet. */
export const owaspCost: ScryptCost = { ln: 15, r: 8, p: 3 };

export interface ScryptPasswordsOptions {
  readonly cost?: ScryptCost;
  /** Hashes computed in parallel; they occupy threads also used for files and DNS. Default 2. */
  readonly parallel?: number;
  /** Hashes waiting in the queue; default 40, some five seconds of work. */
  readonly queue?: number;
}

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const STORED =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Passwords as `$scrypt$ln=…,r=…,p=…$salt$hash` (PHC string format), computed off the event loop. */
export function createScryptPasswords({
  cost = owaspCost,
  parallel = 2,
  queue = 40,
}: ScryptPasswordsOptions = {}): PasswordHashing {
  const inTurn = createLimiter(parallel, queue);
  const compute = (password: string, salt: Buffer, { ln, r, p }: ScryptCost) => {
    const options = { N: 2 ** ln, r, p, maxmem: 256 * r * 2 ** ln };
    return inTurn(() => derive(password.normalize('NFKC'), salt, HASH_BYTES, options));
  };
  const nobody = { cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const hash = await compute(password, salt, cost);
      const { ln, r, p } = cost;
      return `$scrypt$ln=${ln},r=${r},p=${p}$${encode(salt)}$${encode(hash)}`;
    },
    async verify(password, stored) {
      const known = stored === null ? null : parse(stored);
      const against = known ?? nobody;
      const hash = await compute(password, against.salt, against.cost);
      return timingSafeEqual(hash, against.hash) && known !== null;
    },
    isOutdated(stored) {
      const made = parse(stored)?.cost;
      return made?.ln !== cost.ln || made.r !== cost.r || made.p !== cost.p;
    },
  };
}

/** Null for a value that no password matches: not a hash, or its owner was forgotten. */
function parse(stored: string) {
  const [, ln, r, p, salt, hash] = STORED.exec(stored) ?? [];
  if (salt === undefined || hash === undefined) return null;
  const bytes = Buffer.from(hash, 'base64');
  if (bytes.length !== HASH_BYTES) return null;
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  return { cost, salt: Buffer.from(salt, 'base64'), hash: bytes };
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

/** Limits concurrency and queue length. @throws Overloaded beyond both */
function createLimiter(parallel: number, queue: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= parallel) {
      if (waiting.length >= queue) throw new Overloaded('passwords');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
