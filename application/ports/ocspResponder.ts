/** An OCSPResponse, DER. */
export interface OcspReply {
  readonly body: Buffer;
  /** How long it may be used; null: it is for this caller at this moment alone. */
  readonly lifetime: OcspReplyLifetime | null;
}

export interface OcspReplyLifetime {
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  /** Lower-case hexadecimal SHA-1 of the body (RFC 5019 §6.2). */
  readonly fingerprint: string;
}

/** An answer made before. One object, for there are a hundred thousand of them, and each more is not in the processor's cache. */
export interface OcspReplyAtHand extends OcspReplyLifetime {
  /** OCSPResponse, DER, a character (latin1) for each byte: so it is written in one piece with the head of the answer. */
  readonly text: string;
}

/** Says whether certificates are revoked (RFC 6960). */
export interface OcspResponder {
  /** The answer to the same request, made before and still good; null: there is none. Never throws. */
  atHand(request: Buffer): OcspReplyAtHand | null;
  /**
   * @param request what arrived as OCSPRequest
   * @returns at once where the answer is at hand. Never throws: what goes wrong is an error status in the answer
   */
  respond(request: Buffer): OcspReply | Promise<OcspReply>;
}
