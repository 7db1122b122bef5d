import { readFile } from 'node:fs/promises';

/**
 * Bytes the kernel has allocated for sockets and else: slab plus TCP buffers. Covers the whole
 * machine, so only differences are meaningful, and both ends of a local connection count.
 */
export async function kernelBytes(): Promise<number> {
  const meminfo = await readFile('/proc/meminfo', 'utf8');
  const sockstat = await readFile('/proc/net/sockstat', 'utf8');
  const slab = Number(/^Slab:\s+(\d+) kB/m.exec(meminfo)?.[1] ?? 0) * 1024;
  const tcp = Number(/^TCP:.* mem (\d+)/m.exec(sockstat)?.[1] ?? 0) * 4096;
  return slab + tcp;
}
