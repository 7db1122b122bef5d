import { type Device, type DeviceCommand, deviceDecider } from '../../domain/device/device.ts';
import type { DeviceEvent } from '../../domain/device/events.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from '../handleCommand.ts';

/** The device aggregate bound to its store; its id is the document number. */
export type Devices = Aggregate<Device, DeviceCommand, DeviceEvent>;

export function createDevices(dependencies: AggregateDependencies<Device>): Devices {
  return createAggregate('device', deviceDecider, dependencies);
}
