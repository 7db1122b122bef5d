/** An OCSPResponse, DER. */
export interface OcspReply {
  readonly body: Buffer;
  /** Caching lifetime; null: for this request only. */
  readonly lifetime: OcspReplyLifetime | null;
}

export interface OcspReplyLifetime {
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  /** Lower-case hexadecimal SHA-1 of the body (RFC 5019 §6.2). */
  readonly fingerprint: string;
}

/**
 * A prepared response (RFC 5019 §2.2). A single object, since a hundred thousand are cached, and further objects would
 * miss the processor's cache.
 */
export interface PreparedOcspReply extends OcspReplyLifetime {
  /** OCSPResponse, DER, one character (latin1) per byte, so that it is written together with the response head. */
  readonly text: string;
}

/** Certificate status by OCSP (RFC 6960). */
export interface OcspResponder {
  /** Valid cached response to the same request; null: none. Never throws. */
  preparedReply(request: Buffer): PreparedOcspReply | null;
  /**
   * @param request received bytes of an OCSPRequest
   * @returns synchronously from the cache. Never throws: errors are a status of the response
   */
  respond(request: Buffer): OcspReply | Promise<OcspReply>;
}
