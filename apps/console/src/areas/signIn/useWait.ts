import { useEffect, useState } from 'react';
import type { ApiProblem } from '../../shared/api/problem.ts';

/** Seconds until a rate-limited caller may retry; 0: now. */
export function useWait(problem: ApiProblem | null): number {
  const [left, setLeft] = useState(0);
  const [counted, setCounted] = useState<ApiProblem | null>(null);
  if (problem !== counted) {
    setCounted(problem);
    setLeft(problem?.status === 429 ? (problem.retryAfter ?? 0) : 0);
  }
  useEffect(() => {
    if (left <= 0) return undefined;
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  return left;
}
