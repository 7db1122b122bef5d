/** Draws QR codes (ISO/IEC 18004). */
export interface QrCodes {
  /** SVG, black on white with a quiet zone. */
  svg(text: string): string;
}
