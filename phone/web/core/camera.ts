import type { QrReader } from './qr.ts';

/** How often the camera's picture is looked at, ms. */
const LOOK = 150;

/**
 * Shows the camera's picture and reads the QR code that comes into it. The camera is off when this returns.
 *
 * @returns the code's text; null when `signal` ended it
 * @throws DOMException when the camera may not be used, or there is none
 */
export async function readFromCamera(
  video: HTMLVideoElement,
  reader: QrReader,
  signal: AbortSignal,
): Promise<string | null> {
  const stream = await navigator.mediaDevices.getUserMedia({
    video: { facingMode: 'environment' },
  });
  try {
    video.srcObject = stream;
    await video.play();
    while (!signal.aborted) {
      const text = await reader.read(video);
      if (text !== null) return text;
      await new Promise((resolve) => setTimeout(resolve, LOOK));
    }
    return null;
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}
