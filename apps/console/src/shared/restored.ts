import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, read } from './api/useRead.ts';

const notRestored: AnswerOf<'/v3/admin/restored'> = { pending: null };

/**
 * State of an installation that was restored and waits to be accepted; null: it is in use. Asked once: only a process that starts finds that out,
 * and by then every session has ended. An API of the former release does not know the question.
 */
export const restoredQuery = queryOptions({
  queryKey: ['restored'],
  queryFn: ({ signal }) => read('/v3/admin/restored', {}, signal).catch(() => notRestored),
  staleTime: Infinity,
});
