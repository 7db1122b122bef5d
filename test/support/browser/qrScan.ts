import decodeQR from 'qr/decode.js';

/** Reads a QR code as a phone's camera would: from the picture, here the library's SVG drawn at a few pixels a module. */
export function scanQrCode(svg: string): string {
  const size = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
  const scale = 4;
  const side = size * scale;
  const data = new Uint8ClampedArray(side * side * 4).fill(255);
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let dy = 0; dy < scale; dy += 1) {
      for (let dx = 0; dx < scale; dx += 1) {
        const pixel = (Number(y) * scale + dy) * side + Number(x) * scale + dx;
        data.fill(0, pixel * 4, pixel * 4 + 3);
      }
    }
  }
  return decodeQR({ width: side, height: side, data });
}
