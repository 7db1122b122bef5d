import type { QrReader } from './qr.ts';

/** Interval of reading the camera's picture, ms. */
const SCAN_INTERVAL_MS = 150;

/**
 * Shows the camera's picture until a QR code is read. Turns the camera off before it returns.
 *
 * @returns text of the code; null when aborted by `signal`
 * @throws DOMException when there is no camera or permission
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
      await new Promise((resolve) => setTimeout(resolve, SCAN_INTERVAL_MS));
    }
    return null;
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}
