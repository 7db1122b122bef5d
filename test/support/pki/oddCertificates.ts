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

/** The same P-256 key with its point compressed, as OpenSSL writes it back. @param spki uncompressed, DER */
export function compressed(spki: Uint8Array): Buffer {
  const point = Buffer.from(spki).subarray(-65);
  return Buffer.concat([
    Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex'),
    Buffer.of(2 | (point.readUInt8(64) & 1)),
    point.subarray(1, 33),
  ]);
}
