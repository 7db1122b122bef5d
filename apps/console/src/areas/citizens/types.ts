import type { AnswerOf } from '../../shared/api/useRead.ts';

export type Citizen = AnswerOf<'/v3/admin/users/{etsi}'>;
