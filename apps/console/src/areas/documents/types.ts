import type { AnswerOf } from '../../shared/api/useRead.ts';

export type Document = AnswerOf<'/v3/admin/documents/{id}'>;
