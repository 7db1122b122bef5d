import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { PdfResult, PdfTask } from './pdf.worker.ts';

export interface PdfPoolOptions {
  /** Worker threads at most; default: one per processor. */
  readonly threads?: number;
}

/**
 * PDF work in worker threads, where it holds up nobody. Threads start with the first task.
 */
export interface PdfPool {
  /** The document's memory moves to the worker: the caller's buffer is empty afterwards. */
  run(task: PdfTask): Promise<PdfResult>;
  /** Ends the threads; tasks in flight are rejected. A later task starts them again. */
  stop(): Promise<void>;
}

/** Creates the pool; starts nothing. */
export function createPdfPool(options: PdfPoolOptions = {}): PdfPool {
  const { threads = availableParallelism() } = options;
  let workers: Piscina<PdfTask, PdfResult> | undefined;

  return {
    async run(task) {
      workers ??= new Piscina<PdfTask, PdfResult>({
        filename: fileURLToPath(new URL('./pdf.worker.js', import.meta.url)),
        minThreads: 1,
        maxThreads: threads,
        idleTimeout: 60_000,
      });
      const document = ownMemory(task.document);
      return workers.run({ ...task, document }, { transferList: [document.buffer] });
    },
    async stop() {
      const stopping = workers;
      workers = undefined;
      await stopping?.destroy();
    },
  };
}

/** Bytes that share their memory with others are copied: memory moves as a whole. */
function ownMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);
}
