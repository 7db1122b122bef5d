import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { Overloaded } from '../../application/ports/faults.ts';
import type { PdfResult, PdfTask } from './pdf.worker.ts';

export interface PdfPoolOptions {
  /** Worker threads at most; default: one per processor. */
  readonly threads?: number;
  /** Timeout of one document, ms, including its wait for a thread; default 12 s: a stamp is due within 15. */
  readonly limitMs?: number;
  /** JavaScript heap of a thread, MiB; default 1024. The document's bytes are outside it. */
  readonly heapMiB?: number;
  /** Called when an idle thread ended; another replaces it. */
  readonly onFailure?: (cause: unknown) => void;
}

/** Queue length per thread: a second or two of work. */
const WAITING_PER_THREAD = 16;

/** PDF work in worker threads. They start with the first task. */
export interface PdfPool {
  /**
   * Transfers the document's memory to the worker: the caller's buffer is empty afterwards. A document that takes too
   * much time or memory is refused, and its thread ended.
   *
   * @throws Overloaded
   */
  run(task: PdfTask): Promise<PdfResult>;
  /** Ends the threads; rejects tasks in flight. A later task starts them again. */
  stop(): Promise<void>;
}

/** Creates the pool; starts nothing. */
export function createPdfPool(options: PdfPoolOptions = {}): PdfPool {
  const { threads = availableParallelism(), limitMs = 12_000, heapMiB = 1024 } = options;
  const { onFailure = () => undefined } = options;
  let workers: Piscina<PdfTask, PdfResult> | undefined;

  function open(): Piscina<PdfTask, PdfResult> {
    if (workers !== undefined) return workers;
    workers = new Piscina<PdfTask, PdfResult>({
      filename: fileURLToPath(new URL('./pdf.worker.js', import.meta.url)),
      minThreads: 1,
      maxThreads: threads,
      maxQueue: threads * WAITING_PER_THREAD,
      idleTimeout: 60_000,
      resourceLimits: { maxOldGenerationSizeMb: heapMiB },
    });
    workers.on('error', onFailure);
    return workers;
  }

  return {
    async run(task) {
      const pool = open();
      if (pool.queueSize >= pool.options.maxQueue) throw new Overloaded('documents');
      const document = ownMemory(task.document);
      const limit = AbortSignal.timeout(limitMs);
      try {
        return await pool.run(
          { ...task, document },
          { transferList: [document.buffer], signal: limit },
        );
      } catch (error) {
        const exhausted = exhaustedBy(error, limit);
        if (exhausted === null) throw error;
        // A prepared document passed these limits before, so this failure is overload.
        if (task.task === 'complete') throw new Overloaded('documents');
        const detail = `Processing this document takes too much ${exhausted}.`;
        return { refused: 'PDF_NOT_SUPPORTED', detail };
      }
    },
    async stop() {
      const stopping = workers;
      workers = undefined;
      await stopping?.destroy();
    },
  };
}

function exhaustedBy(error: unknown, limit: AbortSignal): 'time' | 'memory' | null {
  if (limit.aborted) return 'time';
  const { code } = error as { readonly code?: unknown };
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : null;
}

/**
 * Copies bytes that share their memory with others: an ArrayBuffer is transferred as a whole, and only once. The empty
 * body is one constant for all requests.
 */
function ownMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isWhole = bytes.byteLength > 0 && bytes.byteLength === bytes.buffer.byteLength;
  return isWhole && bytes.buffer instanceof ArrayBuffer
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);
}
