import { speechSampleRate } from './ports/textToSpeech.ts';

const CHANNELS = 1;
const BITS = 16;
const HEADER = 44;

/** Uncompressed samples (`WAVE_FORMAT_PCM`). */
const PCM = 1;

/** Prepends a RIFF WAVE header to raw samples: 24 kHz, mono, 16-bit, little-endian. */
export function wavOf(pcm: Buffer): Buffer {
  const frame = (CHANNELS * BITS) / 8;
  const header = Buffer.alloc(HEADER);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(HEADER - 8 + pcm.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(PCM, 20);
  header.writeUInt16LE(CHANNELS, 22);
  header.writeUInt32LE(speechSampleRate, 24);
  header.writeUInt32LE(speechSampleRate * frame, 28);
  header.writeUInt16LE(frame, 32);
  header.writeUInt16LE(BITS, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(pcm.length, 40);
  return Buffer.concat([header, pcm]);
}
