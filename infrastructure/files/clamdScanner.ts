import { connect, type Socket } from 'node:net';
import { readHost } from '../../domain/shared/hosts.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { FileScanner, ScanResult } from '../../application/document/ports/fileScanner.ts';
import type { FileContent } from '../../application/ports/objectStore.ts';

export interface ClamdOptions {
  /** `tcp://host:port`, or the path of a Unix socket as `unix:///path`. */
  readonly address: string;
  /** Milliseconds for one file; default 30,000. */
  readonly timeoutMs?: number;
  /** Called after every scan. @param status `ok`, `found` or `error` */
  readonly onCalled?: (status: string, seconds: number) => void;
}

/** Letters of an answer, its end included. */
const LONGEST_ANSWER = 4096;

/** ClamAV's daemon, by its INSTREAM command (clamd(8)): sends the file in chunks, each prefixed with its length. */
export function createClamdScanner(options: ClamdOptions): FileScanner {
  const { address, timeoutMs = 30_000, onCalled = () => undefined } = options;
  const target = new URL(address);
  return {
    async scan(content) {
      const started = performance.now();
      const called = (status: string) => onCalled(status, (performance.now() - started) / 1000);
      const socket =
        target.protocol === 'unix:'
          ? connect(target.pathname)
          : connect(Number(target.port), readHost(target.hostname)?.name ?? target.hostname);
      try {
        const result = await ask(socket, content, AbortSignal.timeout(timeoutMs));
        called(result.found === null ? 'ok' : 'found');
        return result;
      } catch (error) {
        called('error');
        throw new Unavailable('fileScanner', error);
      } finally {
        socket.destroy();
      }
    },
  };
}

async function ask(socket: Socket, content: FileContent, signal: AbortSignal): Promise<ScanResult> {
  const abort = () => socket.destroy(new Error('The scanner took too long.'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    const closed = closing(socket);
    const answer = readAnswer(socket);
    // The daemon may answer and close early; what it found then counts, not the failed send.
    const sent = send(socket, content);
    const result = toResult(await Promise.race([answer, sent.then(() => answer), closed]));
    // Nobody knows that a file is clean before its end.
    if (result.found === null) await Promise.race([sent, closed]);
    return result;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function send(socket: Socket, content: FileContent): Promise<void> {
  await write(socket, Buffer.from('zINSTREAM\0'));
  for await (const piece of content.read()) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(piece.length);
    await write(socket, Buffer.concat([length, piece]));
  }
  await write(socket, Buffer.alloc(4));
}

function write(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** Text of the daemon before its NUL. */
function readAnswer(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      answer += text;
      const end = answer.slice(0, LONGEST_ANSWER).indexOf('\0');
      if (end >= 0) resolve(answer.slice(0, end));
      else if (answer.length >= LONGEST_ANSWER) {
        reject(new Error('The answer of the scanner has no end.'));
      }
    });
  });
}

/** Rejects when the connection ends, for whatever reason. */
function closing(socket: Socket): Promise<never> {
  const closed = new Promise<never>((_, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The scanner closed the connection too early.')));
  });
  // It ends after every scan, when nobody waits for that any more.
  closed.catch(() => undefined);
  return closed;
}

/** `stream: OK`, `stream: Eicar-Signature FOUND`, or an error. */
function toResult(answer: string): ScanResult {
  const said = answer.trim();
  if (said === 'stream: OK') return { found: null };
  // A name is shown to whoever uploaded the file: visible ASCII, as ClamAV's own.
  const found = /^stream: ([ -~]{1,200}) FOUND$/.exec(said)?.[1];
  if (found === undefined) throw new Error("The scanner's answer is neither OK nor FOUND.");
  return { found };
}
