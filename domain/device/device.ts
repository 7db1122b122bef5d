import { type Decider, unreachable } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import { assertFinalReason } from '../shared/revocationReason.ts';
import type { DeviceEnrolled, DeviceEvent, DevicePin } from './events.ts';

// State

export type Device =
  | { readonly status: 'NONE' }
  | {
      readonly status: 'ACTIVE' | 'DEACTIVATED';
      readonly enrolled: DeviceEnrolled['data'];
      readonly lockedPins: readonly DevicePin[];
    };

const initial: Device = { status: 'NONE' };

function evolve(device: Device, event: DeviceEvent): Device {
  switch (event.type) {
    case 'DeviceEnrolled':
      return { status: 'ACTIVE', enrolled: event.data, lockedPins: [] };
    case 'DevicePinLocked':
      return device.status === 'NONE'
        ? device
        : { ...device, lockedPins: [...device.lockedPins, event.data.pin] };
    case 'DeviceDeactivated':
      return device.status === 'ACTIVE' ? { ...device, status: 'DEACTIVATED' } : device;
    default:
      return unreachable(event);
  }
}

// Commands

export type DeviceCommand =
  | { readonly type: 'EnrolDevice'; readonly enrolled: DeviceEnrolled['data'] }
  | { readonly type: 'LockPin'; readonly pin: DevicePin; readonly now: string }
  | { readonly type: 'DeactivateDevice'; readonly reason: number; readonly now: string };

// Decisions

function decide(command: DeviceCommand, device: Device): readonly DeviceEvent[] {
  switch (command.type) {
    case 'EnrolDevice':
      return device.status === 'NONE' ? [{ type: 'DeviceEnrolled', data: command.enrolled }] : [];
    case 'LockPin': {
      if (device.status === 'NONE') throw new Refusal('DOCUMENT_NOT_FOUND');
      const { pin, now: lockedAt } = command;
      if (device.lockedPins.includes(pin)) return [];
      const { documentNumber } = device.enrolled;
      return [{ type: 'DevicePinLocked', data: { documentNumber, pin, lockedAt } }];
    }
    case 'DeactivateDevice':
      assertFinalReason(command.reason);
      if (device.status === 'NONE') throw new Refusal('DOCUMENT_NOT_FOUND');
      if (device.status === 'DEACTIVATED') return [];
      return [
        {
          type: 'DeviceDeactivated',
          data: {
            documentNumber: device.enrolled.documentNumber,
            reason: command.reason,
            deactivatedAt: command.now,
          },
        },
      ];
    default:
      return unreachable(command);
  }
}

/** The device aggregate: one phone's keys and activity. Stream `device-<document number>`. */
export const deviceDecider: Decider<Device, DeviceCommand, DeviceEvent> = {
  initial,
  evolve,
  decide,
};
