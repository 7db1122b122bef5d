import { Counter, type Registry } from 'prom-client';

/** Maker of counters of the registry. */
export function countersOf(registry: Registry) {
  return <Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ) => new Counter({ name, help, labelNames, registers: [registry] });
}
