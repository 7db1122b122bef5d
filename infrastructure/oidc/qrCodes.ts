import encodeQr from 'qr';
import type { QrCodes } from '../../api/openIdConnect/ports/qrCodes.ts';

/** Modules of quiet zone around the code (ISO/IEC 18004 §6.3.8). */
const QUIET_ZONE = 4;

/** QR codes as SVG pictures of one path. */
export const svgQrCodes: QrCodes = {
  svg(text) {
    const modules = encodeQr(text, 'raw', { ecc: 'low', border: QUIET_ZONE });
    const dark = modules.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])),
    );
    const size = modules.length;
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
      `<path fill="white" d="M0 0h${size}v${size}H0z"/><path d="${dark.join('')}"/></svg>`
    );
  },
};
