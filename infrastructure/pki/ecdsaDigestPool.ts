import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { Overloaded } from '../../application/ports/faults.ts';

type Curve = 'P-256' | 'P-384';

/** A task of a worker; byte arrays are raw: scalar, uncompressed point, `r ‖ s`. */
export type EcdsaDigestTask =
  | {
      readonly operation: 'sign';
      readonly curve: Curve;
      readonly digest: Uint8Array;
      readonly privateKey: Uint8Array;
    }
  | {
      readonly operation: 'verify';
      readonly curve: Curve;
      readonly digest: Uint8Array;
      readonly publicKey: Uint8Array;
      readonly signature: Uint8Array;
    };

export interface EcdsaDigestPoolOptions {
  /** Worker threads at most; default: one per processor. */
  readonly threads?: number;
  /** Queue length; default 2,000, a few seconds' work of one thread. */
  readonly maxWaiting?: number;
}

/**
 * ECDSA over digests in worker threads: Node's own sign and verify always hash, so this arithmetic is JavaScript, takes
 * milliseconds, and would block every other request. Threads start with the first task.
 *
 * @throws Overloaded when the queue is full
 */
export interface EcdsaDigestPool {
  /** @returns `r ‖ s` */
  sign(curve: Curve, digest: Uint8Array, privateKey: Uint8Array): Promise<Buffer>;
  /** @param signature `r ‖ s` */
  verify(
    curve: Curve,
    digest: Uint8Array,
    publicKey: Uint8Array,
    signature: Uint8Array,
  ): Promise<boolean>;
  /** Ends the threads; rejects tasks in flight. A later task starts them again. */
  stop(): Promise<void>;
}

/** Creates the pool; starts nothing. */
export function createEcdsaDigestPool(options: EcdsaDigestPoolOptions = {}): EcdsaDigestPool {
  const { threads = availableParallelism(), maxWaiting = 2000 } = options;
  let workers: Piscina<EcdsaDigestTask, Uint8Array | boolean> | undefined;

  function run(task: EcdsaDigestTask): Promise<Uint8Array | boolean> {
    workers ??= new Piscina<EcdsaDigestTask, Uint8Array | boolean>({
      filename: fileURLToPath(new URL('./ecdsaDigest.worker.js', import.meta.url)),
      minThreads: 1,
      maxThreads: threads,
      idleTimeout: 60_000,
      maxQueue: maxWaiting + threads,
    });
    if (workers.queueSize >= maxWaiting) throw new Overloaded('digest signatures');
    return workers.run(task);
  }

  return {
    async sign(curve, digest, privateKey) {
      return Buffer.from(
        (await run({ operation: 'sign', curve, digest, privateKey })) as Uint8Array,
      );
    },
    async verify(curve, digest, publicKey, signature) {
      return (await run({ operation: 'verify', curve, digest, publicKey, signature })) === true;
    },
    async stop() {
      const stopping = workers;
      workers = undefined;
      await stopping?.destroy();
    },
  };
}
