import type { AnswerOf } from '../../shared/api/useRead.ts';

export type Device = AnswerOf<'/v3/admin/devices/{documentNumber}'>;
