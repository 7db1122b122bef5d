import { useQuery } from '@tanstack/react-query';
import { useLanguage } from './texts.ts';

/** Words of the documentation on a problem, by its code; loaded beside the page, as those of all are large. */
export function useProblemWords() {
  const language = useLanguage();
  const { data } = useQuery({
    queryKey: ['problemWords'],
    queryFn: () => import('../../../../api/pages/words/problemWords.ts'),
    staleTime: Infinity,
  });
  return (code: string) =>
    data?.isProblem(code) === true ? data.problemWords(code, language) : undefined;
}
