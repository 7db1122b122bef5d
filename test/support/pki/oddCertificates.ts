/** The same certificate with a bit of its P-256 point flipped: no point of the curve. @param certificate DER */
export function offCurve(certificate: Buffer): Buffer<ArrayBuffer> {
  const odd = Buffer.from(certificate);
  const point = odd.indexOf('03420004', 0, 'hex') + 4;
  odd.writeUInt8(odd.readUInt8(point + 63) ^ 1, point + 63);
  return odd;
}

/** The same bytes with the first TRUE as 01, which OpenSSL reads and DER forbids (X.690 §11.1). */
export function oddBoolean(certificate: Buffer): Buffer<ArrayBuffer> {
  const odd = Buffer.from(certificate);
  odd.writeUInt8(0x01, odd.indexOf('0101ff', 0, 'hex') + 2);
  return odd;
}
