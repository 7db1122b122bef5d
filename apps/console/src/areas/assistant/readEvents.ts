/** Event of a streamed answer (contract §12). */
export type AnswerEvent =
  | { readonly event: 'delta' | 'transcript'; readonly data: { readonly text: string } }
  | { readonly event: 'reset'; readonly data: object }
  | { readonly event: 'done'; readonly data: { readonly degraded: boolean } }
  | { readonly event: 'error'; readonly data: { readonly message: string } };

/** Parses the server-sent events of a body. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<AnswerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      yield* blocks.flatMap(eventIn);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function eventIn(block: string): readonly AnswerEvent[] {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart());
  }
  const event = fields.get('event');
  const data = fields.get('data');
  if (event === undefined || data === undefined) return [];
  return [{ event, data: JSON.parse(data) as object } as AnswerEvent];
}
