import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const EPOCH_SECONDS = 2_208_988_800;

/** A time server. @param aheadMs of this clock; null: it never answers */
export async function timeServer(
  aheadMs: number | null,
): Promise<{ socket: Socket; address: string }> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    if (aheadMs === null) return;
    const answer = Buffer.alloc(48);
    answer[0] = 0x24;
    answer[1] = 2;
    question.copy(answer, 24, 40, 48);
    const seconds = (Date.now() + aheadMs) / 1000 + EPOCH_SECONDS;
    for (const offset of [32, 40]) {
      answer.writeUInt32BE(Math.floor(seconds), offset);
      answer.writeUInt32BE(Math.floor((seconds % 1) * 2 ** 32), offset + 4);
    }
    socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { socket, address: `127.0.0.1:${socket.address().port}` };
}
