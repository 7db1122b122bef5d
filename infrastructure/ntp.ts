import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { ClockComparison } from './system.ts';

/** Seconds between 1900, where NTP begins to count, and 1970. */
const EPOCH_SECONDS = 2_208_988_800;
const PACKET_BYTES = 48;
const PORT = 123;
/** Version 4, client. */
const QUESTION = 0x23;
const SERVER_MODE = 4;
/** Stratum of a server that does not know the time. */
const UNSYNCHRONIZED = 16;

/**
 * Asks one server for the time, once (SNTP, RFC 4330).
 *
 * @param server host, or host:port
 * @param timeoutMs bound of the name's resolution and the answer together
 * @returns null when no usable answer came in time
 */
export function compareClock(server: string, timeoutMs = 3000): Promise<ClockComparison | null> {
  const [, host = server, port = String(PORT)] = /^\[?([^\]]+?)\]?:(\d+)$/u.exec(
    isIPv6(server) ? `[${server}]:${PORT}` : server,
  ) ?? [null, server];
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
    let isSettled = false;
    const settle = (comparison: ClockComparison | null) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      socket.close();
      resolve(comparison);
    };
    const timer = setTimeout(settle, timeoutMs, null);
    const question = Buffer.alloc(PACKET_BYTES);
    question[0] = QUESTION;
    const sentAt = Date.now();
    // The server repeats it, so that an answer to another question is none.
    question.writeBigUInt64BE(BigInt(sentAt), 40);
    socket.once('error', () => settle(null));
    socket.on('message', (answer) => {
      if (!isAnswer(answer, question)) return;
      const receivedAt = Date.now();
      const middle = (sentAt + receivedAt) / 2;
      settle({
        offsetMs: middle - (timeAt(answer, 32) + timeAt(answer, 40)) / 2,
        uncertaintyMs: (receivedAt - sentAt) / 2,
      });
    });
    try {
      socket.connect(Number(port), host, (error?: Error) => {
        if (error !== undefined) settle(null);
        else if (!isSettled) socket.send(question);
      });
    } catch {
      // A port that is none.
      settle(null);
    }
  });
}

function isAnswer(answer: Buffer, question: Buffer): boolean {
  if (answer.length < PACKET_BYTES) return false;
  const [first = 0, stratum = 0] = answer;
  const isFromServer = (first & 7) === SERVER_MODE;
  const knowsTime = stratum > 0 && stratum < UNSYNCHRONIZED && first >> 6 !== 3;
  return isFromServer && knowsTime && answer.subarray(24, 32).equals(question.subarray(40, 48));
}

/** Unix time, ms. */
const timeAt = (packet: Buffer, offset: number) =>
  (packet.readUInt32BE(offset) - EPOCH_SECONDS + packet.readUInt32BE(offset + 4) / 2 ** 32) * 1000;
