import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { may, useAccount } from '../../shared/account.ts';
import { api } from '../../shared/api/client.ts';
import { type AnswerOf, useRead } from '../../shared/api/useRead.ts';
import { useCommand } from '../../shared/api/useCommand.ts';
import { useTexts } from '../../shared/texts.ts';
import { usePathParams } from '../../shared/usePathParams.ts';
import { ConfirmByTyping } from '../../shared/ui/ConfirmByTyping.tsx';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import { useNotifyOutcome } from '../../shared/ui/FourEyes.tsx';
import { Can, FactList, Section, Timestamp } from '../../shared/ui/parts.tsx';
import { type ArticleDraft, ArticleForm, bodyOf } from './ArticleForm.tsx';
import { unwrapped, unwrappedSource, type Within } from './enveloped.ts';
import { knowledgeTexts } from './texts.ts';

const ADDRESS = '/api/v1/admin/ai/knowledge/articles/{id}';
const touches = ['/api/v1/admin/ai/knowledge'];

type Article = Within<AnswerOf<typeof ADDRESS>>;

export default function ArticlePage() {
  const t = useTexts(knowledgeTexts);
  const { id } = usePathParams('id');
  const source = unwrappedSource(useRead(ADDRESS, { params: { path: { id } } }));
  return (
    <DetailPage
      source={source}
      title={({ title }) => title}
      back={{ to: '/knowledge', label: t('nav') }}
      actions={(article) => (
        <Can capability="config:write">
          <Remove article={article} />
        </Can>
      )}
    >
      {(article) => (
        <Stack>
          <Section title={t('article')}>
            {/* The key resets the editor for another version. */}
            <Editor key={article.version} article={article} onReadAgain={source.refetch} />
          </Section>
          <Section title={t('facts')}>
            <FactList
              facts={[
                { label: t('origin'), value: t(article.origin) },
                { label: t('version'), value: String(article.version) },
                { label: t('changedAt'), value: <Timestamp value={article.changed_at} /> },
                { label: t('changedBy'), value: article.changed_by, copy: article.changed_by },
              ]}
            />
          </Section>
        </Stack>
      )}
    </DetailPage>
  );
}

function Editor({
  article,
  onReadAgain,
}: {
  readonly article: Article;
  readonly onReadAgain: () => unknown;
}) {
  const t = useTexts(knowledgeTexts);
  const tell = useNotifyOutcome();
  const isReadOnly = !may(useAccount(), 'config:write');
  const { id, version, title, content, tags, language, source } = article;
  const change = useCommand({
    run: (draft: ArticleDraft) =>
      unwrapped(
        api.PUT(ADDRESS, {
          params: { path: { id } },
          headers: { 'if-match': `"${version}"` },
          body: bodyOf(draft),
        }),
      ),
    touches,
  });
  return (
    <ArticleForm
      initial={{ title, content, tags: [...tags], language, source: source ?? '' }}
      isReadOnly={isReadOnly}
      onSave={async (draft) => tell(await change.mutateAsync(draft), t('saved'))}
      onStale={
        <Button variant="default" onClick={() => void onReadAgain()}>
          {t('readAgain')}
        </Button>
      }
    />
  );
}

function Remove({ article: { id, version, title } }: { readonly article: Article }) {
  const t = useTexts(knowledgeTexts);
  const tell = useNotifyOutcome();
  const navigate = useNavigate();
  const [isOpen, { open, close }] = useDisclosure(false);
  const remove = useCommand({
    run: (comment: string | undefined) =>
      unwrapped(
        api.DELETE(ADDRESS, {
          params: { path: { id } },
          headers: { 'if-match': `"${version}"` },
          body: comment === undefined ? {} : { comment },
        }),
      ),
    touches: ['/api/v1/admin/ai/knowledge/articles'],
  });
  return (
    <>
      <Button color="red" variant="light" aria-haspopup="dialog" onClick={open}>
        {t('remove')}
      </Button>
      <ConfirmByTyping
        opened={isOpen}
        onClose={close}
        title={t('remove')}
        action={t('remove')}
        name={title}
        withComment
        onConfirm={async (comment) => {
          const outcome = await remove.mutateAsync(comment);
          tell(outcome, t('removed'));
          await navigate({ to: '/knowledge' });
        }}
      >
        {t('removeLead')}
      </ConfirmByTyping>
    </>
  );
}
