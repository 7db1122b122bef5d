/** A server-sent event of the public chat (contract §12, stream). */
export interface ChatEvent {
  readonly event: string;
  readonly data: { readonly text?: string; readonly degraded?: boolean };
}

/** Reads the events of an answer as they come. @throws Error when the connection or an event is broken */
export async function* chatEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ChatEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield eventIn(block.split('\n'));
  }
}

function eventIn(lines: readonly string[]): ChatEvent {
  const field = (name: string) =>
    (lines.find((line) => line.startsWith(`${name}: `)) ?? '').slice(name.length + 2);
  return { event: field('event'), data: JSON.parse(field('data') || '{}') as ChatEvent['data'] };
}
