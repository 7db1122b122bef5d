import { createStreamOrder } from '../../../infrastructure/export/streamOrder.ts';

// Run as `node --expose-gc dist/test/support/events/streamOrderMemory.js`, in a process of its own because suites beside
// it allocate and free memory meanwhile. Prints the memory held for few and for many streams, bytes, as JSON.

/** Heap and buffers in use, bytes. */
function inUse(): number {
  gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

/** Bytes held after that many streams of one event, which are in order. */
function heldFor(streams: number): number {
  const order = createStreamOrder(5_000);
  const before = inUse();
  for (let stream = 0; stream < streams; stream += 1)
    order.add(stream + 1, `session-${stream}`, 0n);
  const held = inUse() - before;
  const { count } = order.faults(20);
  order.close();
  if (count > 0) throw new Error(`${count} faults were found where there are none.`);
  return held;
}

heldFor(20_000);
process.stdout.write(JSON.stringify({ few: heldFor(20_000), many: heldFor(500_000) }));
