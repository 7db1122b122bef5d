import { BarcodeDetector as OwnDetector } from 'qr/decode.js';

/** Reads QR codes from pictures and camera frames. */
export interface QrReader {
  /** Text of the code in the picture; null when there is none. */
  read(picture: ImageBitmapSource): Promise<string | null>;
}

interface Detector {
  detect(picture: ImageBitmapSource): Promise<readonly { readonly rawValue: string }[]>;
}

interface DetectorClass {
  new (options: { readonly formats: readonly 'qr_code'[] }): Detector;
  getSupportedFormats(): Promise<readonly string[]>;
}

/** Uses the browser's own reader for QR codes, else the bundled one. */
export async function createQrReader(): Promise<QrReader> {
  const detector = (await nativeDetector()) ?? new OwnDetector({ formats: ['qr_code'] });
  return {
    read: async (picture) => {
      const found = await detector.detect(picture).catch(() => []);
      return found.find(({ rawValue }) => rawValue !== '')?.rawValue ?? null;
    },
  };
}

async function nativeDetector(): Promise<Detector | null> {
  const { BarcodeDetector: Native } = globalThis as { BarcodeDetector?: DetectorClass };
  if (Native === undefined) return null;
  const formats = await Native.getSupportedFormats().catch((): readonly string[] => []);
  return formats.includes('qr_code') ? new Native({ formats: ['qr_code'] }) : null;
}
