import { useNavigate } from '@tanstack/react-router';
import { api } from '../../shared/api/client.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useLanguage, useTexts } from '../../shared/texts.ts';
import { useNotifyOutcome } from '../../shared/ui/FourEyes.tsx';
import { PageHeader, Section } from '../../shared/ui/parts.tsx';
import { type ArticleDraft, ArticleForm, bodyOf } from './ArticleForm.tsx';
import { unwrapped } from './enveloped.ts';
import { knowledgeTexts } from './texts.ts';

export default function NewArticlePage() {
  const t = useTexts(knowledgeTexts);
  const language = useLanguage();
  const navigate = useNavigate();
  const tell = useNotifyOutcome();
  const add = useCommand({
    run: (draft: ArticleDraft) =>
      unwrapped(api.POST('/api/v1/admin/ai/knowledge/articles', { body: bodyOf(draft) })),
    touches: ['/api/v1/admin/ai/knowledge'],
  });
  return (
    <>
      <PageHeader title={t('add')} back={{ to: '/knowledge', label: t('nav') }} />
      <Section title={t('article')}>
        <ArticleForm
          initial={{ title: '', content: '', tags: [], language, source: '' }}
          onSave={async (draft) => {
            tell(await add.mutateAsync(draft), t('added'));
            await navigate({ to: '/knowledge' });
          }}
        />
      </Section>
    </>
  );
}
