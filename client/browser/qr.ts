import encodeQR from 'qr';

/** Options of a QR code. */
export interface QrOptions {
  /** Width and height, CSS pixels; default: as large as its container. */
  readonly size?: number;
  /** Accessible name; default `QR code`. */
  readonly label?: string;
  /**
   * Error correction: 7, 15, 25 or 30 % of the code may be unreadable; default `low`, enough for a
   * screen.
   */
  readonly errorCorrection?: 'low' | 'medium' | 'quartile' | 'high';
}

/** Modules of quiet zone around the code (ISO/IEC 18004 §6.3.8). */
const QUIET_ZONE = 4;

/**
 * Draws `text` as a QR code, an SVG element's markup: black on white, readable in dark pages, no
 * styles or scripts, so that it passes a strict content security policy.
 *
 * @throws Error when the text is too long for a QR code: about 2900 bytes
 */
export function qrSvg(text: string, options: QrOptions = {}): string {
  const { size, label = 'QR code', errorCorrection: ecc = 'low' } = options;
  const modules = encodeQR(text, 'raw', { ecc, border: QUIET_ZONE });
  const path = modules
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : [])))
    .join('');
  const width = size === undefined ? '' : ` width="${size}" height="${size}"`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${modules.length} ${modules.length}"${width}` +
    ` role="img" aria-label="${escaped(label)}" shape-rendering="crispEdges">` +
    `<path fill="white" d="M0 0h${modules.length}v${modules.length}H0z"/><path d="${path}"/></svg>`
  );
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
