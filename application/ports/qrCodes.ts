/** Draws QR codes (ISO/IEC 18004). */
export interface QrCodes {
  /** A picture that is readable on any page: SVG, black on white with a quiet zone. */
  svg(text: string): string;
}
