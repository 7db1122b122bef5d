import { freePort, isFree } from '../../../main/drill/freePort.ts';

const steady = new Map<string, number>();

/**
 * The port that services of this process listen on one after the other. Browsers keep what they compiled of a page by its
 * address.
 *
 * @param purpose services of different ones may run beside each other
 */
export async function steadyPort(purpose: string): Promise<number> {
  const known = steady.get(purpose);
  const port = known !== undefined && (await isFree(known)) ? known : await freePort();
  steady.set(purpose, port);
  return port;
}
