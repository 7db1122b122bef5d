import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveMasterKeys } from './encryption.ts';

/** Time a ticket is good for, either way, ms: clocks of two machines differ. */
const LIFE_MS = 60_000;

/** Tickets by which `check-config` of this installation, which has its master key, is told what a proxy passed on. */
export interface ProxyCheckTickets {
  issue(now: Date): string;
  isGood(ticket: string, now: Date): boolean;
}

export function createProxyCheckTickets(masterKey: Uint8Array): ProxyCheckTickets {
  const { proxyChecks: key } = deriveMasterKeys(masterKey);
  const mac = (time: string) => createHmac('sha256', key).update(time).digest();
  return {
    issue(now) {
      const time = String(now.getTime());
      return `${time}.${mac(time).toString('hex')}`;
    },
    isGood(ticket, now) {
      const [, time, hex] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(ticket) ?? [];
      if (time === undefined || hex === undefined) return false;
      const isOurs = timingSafeEqual(mac(time), Buffer.from(hex, 'hex'));
      return isOurs && Math.abs(Number(time) - now.getTime()) <= LIFE_MS;
    },
  };
}
