/** Reads the body of a response. @throws Error beyond `limit` bytes */
export async function readUpTo({ body }: Response, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw new Error('The answer is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Passes a body through and fails it beyond `limit` bytes, for streaming readers. */
export function upTo(body: ReadableStream<Uint8Array>, limit: number): ReadableStream<Uint8Array> {
  let size = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > limit) controller.error(new Error('The answer is too long.'));
      else controller.enqueue(chunk);
    },
  });
  return body.pipeThrough(counting);
}

/** Gives up what is left of a response, and its connection. */
export async function discard({ body }: Response): Promise<void> {
  // A body that broke off already cannot be cancelled, and need not be.
  await body?.cancel().catch(() => undefined);
}
