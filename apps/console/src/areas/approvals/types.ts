import type { AnswerOf } from '../../shared/api/useRead.ts';

export type FullApproval = AnswerOf<'/v3/admin/approvals/{id}'>;
