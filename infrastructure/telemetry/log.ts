import { openSync } from 'node:fs';
import { pino } from 'pino';
import type { Log } from '../../application/ports/log.ts';

export interface LogOptions {
  /** Least severe level written; `silent` writes nothing. */
  readonly level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';
  /** File descriptor or path; default standard output. */
  readonly destination?: number | string;
  /** Fields that every line has at the time, such as the ids of its trace. */
  readonly fields?: (() => object) | undefined;
}

export interface ProcessLog extends Log {
  /** Flushes the buffer at the end of the process. */
  close(): void;
}

/**
 * Close to the largest single write: every write goes through the thread pool, which costs more than formatting lines.
 */
const BUFFER_CHARACTERS = 16_000;
const FLUSH_MS = 250;

/** Writes one JSON line per entry, in the background, with a delay of at most a quarter of a second. */
export function createLog({ level, destination = 1, fields }: LogOptions): ProcessLog {
  // Opened at once: lines of a process that ends before its file is open would be lost.
  const dest = typeof destination === 'string' ? openSync(destination, 'a') : destination;
  let stream = pino.destination({ dest, sync: false });
  let lines = '';
  let hasEnded = false;

  /** Buffers lines here, since the stream would measure its whole buffer with each of them. */
  function gather(line: string): void {
    lines += line;
    if (hasEnded || lines.length >= BUFFER_CHARACTERS) flush();
  }

  function flush(): void {
    if (lines === '') return;
    stream.write(lines);
    lines = '';
  }

  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      ...(fields === undefined ? {} : { mixin: fields }),
    },
    { write: gather },
  );
  const flushing = setInterval(flush, FLUSH_MS);
  flushing.unref();

  /** Writes in the foreground from now on: Node.js cancels writes that wait for a thread when the process ends. */
  function end(): void {
    hasEnded = true;
    try {
      stream.flushSync();
      stream = pino.destination({ dest, sync: true });
      flush();
    } catch {
      // EPIPE at the exit: the process that read standard output has ended.
    }
  }
  process.once('exit', end);

  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    close: () => {
      clearInterval(flushing);
      process.off('exit', end);
      end();
    },
  };
}

/** Deep enough for any chain of causes, and a bound for cyclic ones. */
const MAX_CAUSES = 5;

/**
 * Logged properties of an error: name, message, code, stack, cause. Others are omitted, because drivers store rows and
 * parameters there.
 */
function describeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { message: typeof error };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    name,
    message,
    ...(typeof code === 'string' ? { code } : {}),
    stack,
    ...(cause === undefined || depth >= MAX_CAUSES
      ? {}
      : { cause: describeError(cause, depth + 1) }),
  };
}
