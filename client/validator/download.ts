/** Download of an address named in a certificate. */
export interface Downloads {
  /**
   * @param body posted when present
   * @throws Error when the status is not 200, or the response too large, too late, or interrupted
   */
  (address: string, request: DownloadRequest): Promise<Buffer>;
}

export interface DownloadRequest {
  readonly body?: { readonly bytes: Buffer; readonly mediaType: string };
  /** Size limit of the response. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface DownloadOptions {
  readonly fetchImpl: typeof fetch;
  readonly timeoutMs: number;
}

export function createDownloads({ fetchImpl, timeoutMs }: DownloadOptions): Downloads {
  return async (address, { body, maxBytes, signal }) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const response = await fetchImpl(address, {
      ...(body === undefined
        ? {}
        : { method: 'POST', body: body.bytes, headers: { 'content-type': body.mediaType } }),
      // No redirects: only the certificate chooses the address.
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      throw new Error(`The revocation service answered ${response.status}.`);
    }
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      length += chunk.byteLength;
      if (length > maxBytes) throw new RangeError(`The answer is larger than ${maxBytes} bytes.`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, length);
  };
}
